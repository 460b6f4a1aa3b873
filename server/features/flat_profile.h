// gprof/flatProfile: gprof's flat profile in numbers, with nothing rounded.
//
// Thread contract: pure, but for reading the functions' files through `places`.
#pragma once

#include <cstddef>

#include "server/features/function_places.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

// Rows in gprof's order: by self time, then calls, then linkage name. At most `limit` of them, from
// the row `offset` on; the cumulative time counts those before as well. Without the names of the
// program and the generation.
[[nodiscard]] FlatProfileResult flat_profile(FunctionPlaces& places, std::size_t offset,
                                             std::size_t limit, bool demangle);

}  // namespace gprof::lsp
