// The metrics of cost that waits give a profile: `wait`, the time that threads were blocked, by the
// clock; its parts `wait.lock`, `wait.io`, `wait.sleep`, `wait.child` and `wait.other`, as far as
// they occur; `wait.cpu`, the time that a thread could run and did not, as others had the CPUs
// (cpu_waits.h); and `wall`, which is `cpu` + `wait`.
//
// Waits are measured and have no error. The error of a wall-clock time is that of its CPU time, of
// which no more is known than that it is at most all of the program's: so the error of a time is
// never told too small.
//
// Units: nanoseconds as ticks. Thread contract: pure functions.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/activity.h"
#include "engine/analysis/wait_index.h"
#include "engine/gmon/sidecar.h"
#include "engine/metrics/metric.h"
#include "engine/metrics/wait_kinds.h"
#include "engine/profile_files.h"
#include "engine/recording.h"
#include "engine/selection.h"

namespace gprof {

inline constexpr std::string_view wall_metric = "wall";

// Whether it is the name of one of these metrics.
[[nodiscard]] bool is_of_waiting(std::string_view cost);

// Those that a file of CPU time has; empty without waits.
[[nodiscard]] std::vector<Metric> waiting_metrics(const ProfileFile& file);

// The file, which is of CPU time, by one of them; none if it has not that one. Without what is idle
// (idle_waits.h) unless that is asked for.
[[nodiscard]] std::optional<ProfileFile> by_waiting(const ProfileFile& file, std::string_view cost,
                                                    bool with_idle);

// Visits the parts of the file, which is of CPU time, that make up one of these metrics, idle
// waiting included: whose and when, how long, and what the thread did. Nothing where it has not
// that one.
using ActivityVisit = std::function<void(const SidecarPart& part, Seconds time, Activity activity)>;
void for_each_activity(const ProfileFile& file, std::string_view cost, const ActivityVisit& visit);

// The waits of the runs by their places in the code, of what is selected; null without waits. Which
// threads are idle does not depend on the selection. Holders of locks are told where all of a run
// is selected.
[[nodiscard]] std::shared_ptr<const WaitIndex> wait_index_of(std::span<const RecordedRun> runs,
                                                             const Selection& selection);

}  // namespace gprof
