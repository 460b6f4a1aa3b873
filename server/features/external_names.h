// How functions and code of other modules are named.
//
// Thread contract: pure functions. Names may hold anything.
#pragma once

#include <string>
#include <string_view>

#include "engine/analysis/stack_samples.h"

namespace gprof::lsp {

// "snprintf"; "[libc.so.6]" for code of no known function.
[[nodiscard]] std::string external_code_name(const ExternalCode& code, bool demangled);
// "snprintf [libc.so.6]"; "[libc.so.6]".
[[nodiscard]] std::string external_name_with_module(const ExternalCode& code, bool demangled);
// "libc" of "libc.so.6": as one speaks of it.
[[nodiscard]] std::string_view library_name(std::string_view file_name);

}  // namespace gprof::lsp
