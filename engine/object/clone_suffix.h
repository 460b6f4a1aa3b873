// The suffixes that compilers give to the pieces and copies they make of a function.
//
// GCC: .constprop.N .isra.N .clone.N .simdclone .part.N .cold[.N] .lto_priv.N .localalias[.N];
// LLVM: .llvm.N .cold[.N] .part.N .__uniq.N. They combine: f.constprop.0.isra.0.cold. Of C++
// coroutines: .actor .destroy (GCC), .resume .destroy .cleanup (LLVM).
// Thread contract: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "engine/object/symbol_table.h"

namespace gprof {

struct CloneName {
  // Without any suffix; the whole name if it has none.
  std::string_view base;
  // From the first suffix' dot to the end.
  std::string_view suffix;
  CloneKind kind = CloneKind::none;
};

[[nodiscard]] CloneName split_clone_name(std::string_view linkage_name);

// The names that the function a clone was made of may have, best first. Empty if the name is not a
// clone's. f.lto_priv.0.cold gives f.lto_priv.0, f.
[[nodiscard]] std::vector<std::string_view> clone_origin_names(std::string_view linkage_name);

}  // namespace gprof
