// What is told of waiting beside CPU time: how long threads were blocked under a function or in
// calls of a line, in what, who had the lock, and what of it is idle
// (engine/analysis/idle_waits.h).
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "engine/analysis/wait_index.h"
#include "server/features/file_view.h"
#include "server/protocol/settings.h"
#include "server/text/markup_writer.h"

namespace gprof::lsp {

// Whether the program's idle waiting is shown; the setting gprof.idle.
[[nodiscard]] bool shows_idle(const LoadedProgram& program);
// Of those, what is shown: without what is idle, unless that is shown as well.
[[nodiscard]] WaitTimes shown_waits(const LoadedProgram& program, const WaitSummary& waits);

// Whether lenses and lines of the program tell what waited: beside CPU time, where waits were
// found.
[[nodiscard]] bool tells_waits(const LoadedProgram& program);
// Whether it is worth telling: a millisecond, and that share of all that is shown of the program's
// waits. 0 tells all. `waits` may be null.
[[nodiscard]] bool is_worth_telling(const LoadedProgram& program, const WaitSummary* waits,
                                    double threshold);

// "waits 8.2 s (lock 7.9)", "waits 8.2 s (lock)"; empty if that is not worth telling.
[[nodiscard]] std::string lens_waits_text(const LoadedProgram& program, const WaitSummary* waits,
                                          double threshold);
// "8.2 s lock", and "8.2 s wait" of several kinds; waits for a CPU are left out if another kind is
// longer. As times are: with what the line calls, unless self times are shown.
[[nodiscard]] std::string line_waits_text(const LoadedProgram& program, const LineCost& line,
                                          ShownMetric metric, double threshold);

// For hovers of a function or line: the time of its own waits and with those in what it calls, how
// often, the longest one, the kinds; who had the lock; and what is idle. `waits`: all of them;
// `own`: the part that blocks there; both may be null.
void write_waits(MarkupWriter& out, const FileView& view, const WaitSummary* waits,
                 const WaitSummary* own);

}  // namespace gprof::lsp
