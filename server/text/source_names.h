// Names of functions and types as their authors write them, made of what demanglers spell out, and
// shortened where there is little room.
//
// What is not understood (unbalanced brackets) stays as it is. Cost: linear in the name. Thread
// contract: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gprof::lsp {

// "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >" is
// "std::string", "std::vector<int, std::allocator<int> >" is "std::vector<int>": the standard
// library's aliases, without default arguments and inline namespaces.
[[nodiscard]] std::string as_written(std::string_view demangled);

// With at most that many characters, if possible: template arguments are left out from the inside,
// "Map<Key, Set<…>>::find", "Map<…>::find", then scopes from the outside, "…::find".
[[nodiscard]] std::string fitted_name(std::string_view name, std::size_t width);

// Ever longer forms of one name.
using NameForms = std::vector<std::string>;
// The first form of each name that no other name has; the last one where all are shared. For lists:
// no two rows are alike. Names without forms are empty.
[[nodiscard]] std::vector<std::string> distinct_forms(const std::vector<NameForms>& names);

}  // namespace gprof::lsp
