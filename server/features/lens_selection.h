// Which functions of a file have a lens, and how many of one line.
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

// A line has at most this many lenses: of more functions, the costliest have their own, and the
// last lens is for all others.
inline constexpr std::size_t max_lenses_on_a_line = 3;

struct FunctionLens {
  Range range;  // the name of the first function, or where the line's last lens is
  // One, or all others of a line: the costliest first. Never empty.
  std::vector<const FunctionCost*> functions;
  bool is_rest = false;   // of those without a lens of their own
  bool is_alone = false;  // no other lens is on the line
  bool is_named = false;  // the text of the line does not say which function it is
};

// Of all functions, in the order of the build's lines. `threshold` is a share of the program's
// time, self or total; 0 shows every function, also those that never ran.
[[nodiscard]] std::vector<FunctionLens> function_lenses(const FileView& view, double threshold);

// The lens of one function, or with `is_rest` the one for those of its line without; none if there
// is none. Looks at the functions of its line alone.
[[nodiscard]] std::optional<FunctionLens> lens_of(const FileView& view,
                                                  const FunctionCost& function, bool is_rest,
                                                  double threshold);

// "+60 more · self 0.42 s (33 %)"; "+3 more · 17 calls" without times. Where no function of the
// line has its own lens, "60 functions · self 0.42 s (33 %) · hottest: parse". Of a lens for the
// rest.
[[nodiscard]] std::string rest_text(const FileView& view, const FunctionLens& lens);

}  // namespace gprof::lsp
