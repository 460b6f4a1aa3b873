// The names of Swift functions: "$s4main5shape4sizeySi_tF" is main.shape(size:).
//
// What a type looks like is not said, as in Swift's own short form. Thunks and specialisations have
// the names of their functions. Thread contract: pure. Bounded time and memory for hostile names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gprof {

[[nodiscard]] bool is_swift_name(std::string_view linkage_name);

// None if it is not a function's, or of a form that is not known.
[[nodiscard]] std::optional<std::string> demangle_swift(std::string_view linkage_name);

}  // namespace gprof
