// The one list of this server's own messages. What it announces and what documents them
// (tools/describe_protocol.cc) come from here; routes/extension_routes.cc answers them.
//
// Thread contract: constants.
#pragma once

#include <tuple>

#include "server/protocol/extension_answers.h"
#include "server/protocol/extension_requests.h"
#include "server/protocol/extensions.h"
#include "server/protocol/graph_answers.h"
#include "server/protocol/metric_messages.h"
#include "server/protocol/test_messages.h"

namespace gprof::lsp {

template <typename Parameters, typename Answer>
struct ExtensionRequest {
  using Params = Parameters;
  using Result = Answer;
  const char* method;
};

template <typename Parameters>
struct ExtensionNotification {
  using Params = Parameters;
  const char* method;
};

// Answered by the session itself, not from a profile.
inline constexpr ExtensionRequest<IdleParams, IdleResult> idle_request = {"gprof/idle"};

// By name.
inline constexpr std::tuple extension_requests = {
    ExtensionRequest<CallGraphParams, CallGraphResult>{"gprof/callGraph"},
    ExtensionRequest<CallSitesParams, CallSitesResult>{"gprof/callSites"},
    ExtensionRequest<CyclesParams, CyclesResult>{"gprof/cycles"},
    ExtensionRequest<FlameGraphParams, FlameGraphResult>{"gprof/flameGraph"},
    ExtensionRequest<FlatProfileParams, FlatProfileResult>{"gprof/flatProfile"},
    ExtensionRequest<HotSpotsParams, HotSpotsResult>{"gprof/hotSpots"},
    idle_request,
    ExtensionRequest<LineDataParams, LineDataResult>{"gprof/lineData"},
    ExtensionRequest<MetricsParams, MetricsResult>{"gprof/metrics"},
    ExtensionRequest<ProgramsParams, ProgramsResult>{"gprof/programs"},
    ExtensionRequest<ReportParams, ReportResult>{"gprof/report"},
    ExtensionRequest<TestsParams, TestsResult>{"gprof/tests"},
    ExtensionRequest<TimelineParams, TimelineResult>{"gprof/timeline"},
};
inline constexpr std::tuple extension_notifications = {
    ExtensionNotification<ProfileStatus>{"gprof/status"},
};

}  // namespace gprof::lsp
