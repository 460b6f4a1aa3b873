// The short texts of lenses and hints.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <vector>

#include "server/features/file_view.h"

namespace gprof::lsp {

// "7,208 calls", "10+4 calls" for a function that calls itself, "never called", …
[[nodiscard]] std::string calls_text(const FunctionCost& function);
// "7,208 calls · self 0.42 s (33 %) · total 1.05 s (83 %) · #1"
[[nodiscard]] std::string lens_text(const FileView& view, const FunctionCost& function);

// The parts of a line's annotation: "26.3k×" executed, "0.12 s 7.7 %" self (not below `threshold`,
// a share of the program's time), "→ init_block 13.3k×" calls made here.
[[nodiscard]] std::vector<std::string> line_texts(const FileView& view, const LineCost& cost,
                                                  double threshold);

// "0.42 s", in the profile's own unit.
[[nodiscard]] std::string time_text(const Profile& profile, Ticks ticks);
// Of the program's own time.
[[nodiscard]] double share_of(const Profile& profile, Ticks ticks);
// Whether times mean anything: samples were taken, and there were some.
[[nodiscard]] bool has_times(const Profile& profile);

}  // namespace gprof::lsp
