// What -d shows about how a report is made, to trace where a figure comes from.
//
// The topics are the manual's (section 9.4); their numbers add up. The layout of each is our own.
// Thread contract: pure functions.
#pragma once

#include <cstdint>

#include "engine/gmon/raw_profile.h"
#include "engine/report/graph_index.h"
#include "engine/report/report_join.h"
#include "engine/report/report_request.h"
#include "engine/report/text_output.h"

namespace gprof {

enum class DebugTopic : std::uint32_t {
  order = 2,  // callees before callers
  cycles = 4,
  tally = 16,      // arcs and the calls they add up to
  arc_order = 32,  // the arcs of each entry
  records = 64,    // histograms and arcs of all profiles
  symbols = 128,
  static_calls = 256,  // -c
  lookups = 512,       // what the addresses of arcs resolved to
  propagation = 1024,
  blocks = 2048,
  symspecs = 4096,
  sources = 8192,  // files, and where they are searched for
};

struct DebugInput {
  const ReportRequest& request;
  const RawProfile& raw;
  const JoinedReport& joined;
  const GraphIndex& index;
};

// Appends one section per topic in request.debug_topics.
void append_debugging(TextOutput& text, const DebugInput& input);

}  // namespace gprof
