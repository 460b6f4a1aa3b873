// Whether an executable and a profile belong together.
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "engine/gmon/raw_profile.h"
#include "engine/object/image.h"
#include "engine/object/symbol_table.h"
#include "engine/support/expected.h"

namespace gprof {

// Fails with ErrorCode::mismatch where the build-id differs, where the histograms lie outside the
// program's code, or where most calls go to no function of it.
[[nodiscard]] Expected<void> check_belongs_together(const Image& image, const SymbolTable& symbols,
                                                    const RawProfile& raw,
                                                    const std::string& profile_path);

}  // namespace gprof
