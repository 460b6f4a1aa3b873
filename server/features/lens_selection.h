// Which functions of a file have a lens, and which share one.
//
// A lens is for what the profile has something to say of: functions that never ran have none, nor
// have those whose time is known to be below a share of the program's. A profile with too few
// samples to know that, or with none, shows each function that was called. A function that differs
// from the base always has its lens.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/features/file_view.h"

namespace gprof::lsp {

// So many functions on a line have lenses of their own; more share one.
inline constexpr std::size_t most_lenses_on_a_line = 2;

struct FunctionLens {
  Range range;  // the name of the first function
  // One, or all that share the lens: most self time first, then most calls. Never empty.
  std::vector<const FunctionCost*> functions;
};

// Of all functions, in the order of the build's lines. `threshold` is a share of the program's
// time, self or total; 0 shows every function, also those that never ran.
[[nodiscard]] std::vector<FunctionLens> function_lenses(const FileView& view, double threshold);

// The one lens that the function is in; none if it has none. Looks at the functions of its line
// alone.
[[nodiscard]] std::optional<FunctionLens> lens_of(const FileView& view,
                                                  const FunctionCost& function, double threshold);

// "60 functions · self 0.42 s (33 %) · hottest: parse"; "3 functions · 17 calls · most called:
// parse" without times. Of a lens that several share.
[[nodiscard]] std::string shared_lens_text(const FileView& view, const FunctionLens& lens);

}  // namespace gprof::lsp
