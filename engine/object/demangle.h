// Linkage names to the names their authors wrote (libiberty: Itanium, Rust, D, GNAT; our own:
// Fortran, Go, Swift).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/object/language.h"

namespace gprof {

struct DemangledName {
  std::string name;       // without parameters: "box<int>::grow"
  std::string signature;  // with parameters: "box<int>::grow(unsigned long)"
};

// A name that fits no scheme is returned unchanged in both fields. `language` decides if the name
// alone does not (Ada's pkg__proc, Fortran's name_ and __module_MOD_name). Clone suffixes are kept
// and shown as " [.constprop.0]". Never throws; bounded time and memory for hostile names.
[[nodiscard]] DemangledName demangle(std::string_view linkage_name,
                                     Language language = Language::unknown);

// Rust's "<a::Circle as a::Shape>::area" -> "a::Circle::area", "<T>::f" -> "T::f"; other names are
// returned as they are.
[[nodiscard]] std::string without_trait(std::string_view name);

// "box<int>::grow<long>" -> "box::grow": the name that all instances share.
[[nodiscard]] std::string without_template_arguments(std::string_view name);

// gprof's --demangle=STYLE.
enum class DemangleStyle : std::uint8_t { automatic, gnu_v3, java, gnat, dlang, rust, none };

// As GNU gprof 2.40's reports show a name: with parameters and return type, clones as "f(int)
// [clone .part.0]"; `automatic` demangles only Rust and C++. Marks before the name and its @VERSION
// stay.
// Whether demangling could change the name: for most names in C programs this is a quick no.
[[nodiscard]] bool can_be_mangled_for_gnu(std::string_view linkage_name, DemangleStyle style);
[[nodiscard]] std::string demangle_like_gnu(std::string_view linkage_name,
                                            DemangleStyle style = DemangleStyle::automatic);

}  // namespace gprof
