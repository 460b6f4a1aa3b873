// What the program's own code spent in functions of libraries that it called, as hovers say it.
//
// Thread contract: pure functions.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "engine/callgraph/external_callees.h"
#include "server/features/file_view.h"
#include "server/text/markup_writer.h"

namespace gprof::lsp {

// "0.41 s (82 %) is in sin, cos of libm, 0.05 s (10 %) in snprintf of libc": the three hottest
// functions by library, then the rest together; "is in calls to sin" if calls were counted, whose
// cost includes what libraries call back. `amount` writes a time. Empty if there is none, or none
// is known. To be part of a composed paragraph.
[[nodiscard]] std::string external_time_text(const MarkupWriter& out, const FileView& view,
                                             std::span<const ExternalCall> calls,
                                             const std::function<std::string(Ticks)>& amount);

}  // namespace gprof::lsp
