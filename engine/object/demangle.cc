#include "engine/object/demangle.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/object/bounded_demangler.h"
#include "engine/object/clone_suffix.h"
#include "engine/object/swift_name.h"

namespace gprof {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// A D name without its parameters: "a.f!(int).f(char) const" becomes "a.f!(int).f".
std::string without_d_parameters(std::string_view signature) {
  static constexpr std::array qualifiers = {
      std::string_view(" const"),  std::string_view(" immutable"), std::string_view(" inout"),
      std::string_view(" shared"), std::string_view(" scope"),     std::string_view(" return")};
  std::string_view rest = signature;
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view qualifier : qualifiers) {
      if (!rest.ends_with(qualifier)) continue;
      rest.remove_suffix(qualifier.size());
      again = true;
    }
  }
  if (!rest.ends_with(')')) return std::string(signature);
  int depth = 0;
  for (std::size_t at = rest.size(); at-- > 0;) {
    if (rest[at] == ')') ++depth;
    if (rest[at] == '(' && --depth == 0) {
      const bool is_parameter_list = at > 0 && rest[at - 1] != '!';
      return std::string(is_parameter_list ? rest.substr(0, at) : signature);
    }
  }
  return std::string(signature);
}

std::optional<DemangledName> rust_name(std::string_view name) {
  auto text = demangle_rust(name);
  if (!text) return std::nullopt;
  return DemangledName{*text, *text};
}

std::optional<DemangledName> cpp_name(std::string_view name) {
  auto signature = demangle_itanium(name, NameStyle::signature);
  if (!signature) return std::nullopt;
  auto plain = demangle_itanium(name, NameStyle::name);
  return DemangledName{plain.value_or(*signature), *signature};
}

std::optional<DemangledName> d_name(std::string_view name) {
  auto signature = demangle_d(name);
  if (!signature) return std::nullopt;
  return DemangledName{without_d_parameters(*signature), *signature};
}

std::optional<DemangledName> ada_name(std::string_view name) {
  auto text = demangle_gnat(name);
  if (!text) return std::nullopt;
  return DemangledName{*text, *text};
}

std::optional<DemangledName> swift_name(std::string_view name) {
  auto text = demangle_swift(name);
  if (!text) return std::nullopt;
  return DemangledName{*text, *text};
}

// gfortran: __MODULE_MOD_PROCEDURE.
std::optional<DemangledName> fortran_module_name(std::string_view name) {
  static constexpr std::string_view mark = "_MOD_";
  if (!name.starts_with("__")) return std::nullopt;
  const std::string_view rest = name.substr(2);
  const std::size_t at = rest.find(mark);
  if (at == std::string_view::npos || at == 0 || at + mark.size() == rest.size()) {
    return std::nullopt;
  }
  const std::string text =
      std::string(rest.substr(0, at)) + "::" + std::string(rest.substr(at + mark.size()));
  return DemangledName{text, text};
}

// flang: _QMmoduleFhostPprocedure, each part but the first with its letter.
std::optional<DemangledName> flang_name(std::string_view name) {
  std::string_view rest = name.substr(2);
  std::string text;
  char letter = 0;
  while (!rest.empty()) {
    letter = rest.front();
    static constexpr std::string_view letters = "MSFP";
    if (letters.find(letter) == std::string_view::npos) return std::nullopt;
    const std::size_t end =
        std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", 1), rest.size());
    if (end == 1) return std::nullopt;
    if (!text.empty()) text += "::";
    text += rest.substr(1, end - 1);
    rest.remove_prefix(end);
  }
  if (letter != 'P') return std::nullopt;
  return DemangledName{text, text};
}

// Of GNAT's own library, whose names are known without its debug information.
bool is_of_ada_library(std::string_view name) {
  static constexpr std::array packages = {
      std::string_view("ada__"), std::string_view("system__"), std::string_view("gnat__"),
      std::string_view("interfaces__"), std::string_view("_ada_")};
  return std::ranges::any_of(packages,
                             [&](std::string_view package) { return name.starts_with(package); });
}

// gfortran: procedure_; the main program's MAIN__ is not one.
std::optional<DemangledName> fortran_name(std::string_view name) {
  if (name == "MAIN__" || name.size() < 2 || !name.ends_with('_')) return std::nullopt;
  const std::string text(name.substr(0, name.size() - 1));
  return DemangledName{text, text};
}

std::optional<DemangledName> demangle_whole(std::string_view name, Language language) {
  if (name.starts_with("_R") || name.starts_with("_ZN")) {
    if (auto found = rust_name(name)) return found;
  }
  if (name.starts_with("_Z") || name.starts_with("_GLOBAL_")) return cpp_name(name);
  if (name.starts_with("_D")) return d_name(name);
  if (is_swift_name(name)) return swift_name(name);
  if (name.starts_with("_Q")) return flang_name(name);
  const bool is_ada =
      language == Language::ada || (language == Language::unknown && is_of_ada_library(name));
  if (is_ada) return ada_name(name);
  if (auto found = fortran_module_name(name)) return found;
  if (language == Language::fortran) return fortran_name(name);
  return std::nullopt;
}

// GNU C's and Fortran's nested procedures are named NAME.NUMBER.
std::string_view without_nesting_number(std::string_view name, Language language) {
  const std::size_t dot = name.rfind('.');
  const bool has_nesting = language == Language::c || language == Language::fortran;
  if (!has_nesting || dot == std::string_view::npos || dot == 0 || dot + 1 == name.size()) {
    return name;
  }
  const bool is_number = std::ranges::all_of(name.substr(dot + 1), is_digit);
  return is_number ? name.substr(0, dot) : name;
}

DemangledName with_suffix(DemangledName name, std::string_view suffix) {
  if (suffix.empty()) return name;
  const std::string shown = " [" + std::string(suffix) + "]";
  name.name += shown;
  name.signature += shown;
  return name;
}

}  // namespace

namespace {

// Go's names are readable, but for two marks of the compiler's own: the shapes that instances of a
// generic function are made for, and the calling convention of functions in assembly. Go's own
// tools write "main.largest[...]" for "main.largest[go.shape.int_0]", and "runtime.memmove" for
// "runtime.memmove.abi0". None for other names.
std::optional<std::string> go_name(std::string_view name) {
  constexpr std::string_view shape = "[go.shape.";
  constexpr std::string_view assembly = ".abi0";
  std::string plain;
  if (name.ends_with(assembly) && name.find('.') < name.size() - assembly.size()) {
    name.remove_suffix(assembly.size());
    plain = name;
  }
  const std::size_t open = name.find(shape);
  if (open == std::string_view::npos) return plain.empty() ? std::nullopt : std::optional(plain);
  // Up to the bracket that closes the list; shapes of structures have brackets of their own.
  int depth = 0;
  for (std::size_t i = open; i < name.size(); ++i) {
    if (name[i] == '[') ++depth;
    if (name[i] != ']' || --depth > 0) continue;
    return std::string(name.substr(0, open)) + "[...]" + std::string(name.substr(i + 1));
  }
  return plain.empty() ? std::nullopt : std::optional(plain);
}

}  // namespace

DemangledName demangle(std::string_view linkage_name, Language language) {
  if (linkage_name.size() > longest_linkage_name) {
    return {std::string(linkage_name), std::string(linkage_name)};
  }
  if (const auto name = go_name(linkage_name)) return {*name, *name};
  // A mangled C++ or Swift name holds no dot of its own: whatever follows one is a suffix, known or
  // not.
  const std::size_t dot = linkage_name.find('.');
  const bool has_no_dot = linkage_name.starts_with("_Z") || is_swift_name(linkage_name);
  if (has_no_dot && dot != std::string_view::npos) {
    if (auto found = demangle_whole(linkage_name.substr(0, dot), language)) {
      return with_suffix(*std::move(found), linkage_name.substr(dot));
    }
  }
  const CloneName clone = split_clone_name(linkage_name);
  if (auto found = demangle_whole(clone.base, language)) {
    return with_suffix(*std::move(found), clone.suffix);
  }
  const std::string unchanged(without_nesting_number(clone.base, language));
  return with_suffix({unchanged, unchanged}, clone.suffix);
}

namespace {

std::optional<std::string> demangle_by_style(std::string_view name, DemangleStyle style) {
  switch (style) {
    case DemangleStyle::automatic: {
      auto text = demangle_rust(name);
      return text ? text : demangle_itanium(name, NameStyle::full);
    }
    case DemangleStyle::gnu_v3:
      return demangle_itanium(name, NameStyle::full);
    case DemangleStyle::java:
      return demangle_java(name);
    case DemangleStyle::gnat: {
      // Names that no Ada compiler makes are shown in angle brackets.
      auto text = demangle_gnat(name);
      return text ? text : "<" + std::string(name) + ">";
    }
    case DemangleStyle::dlang:
      return demangle_d(name);
    case DemangleStyle::rust:
      return demangle_rust(name);
    case DemangleStyle::none:
      break;
  }
  return std::nullopt;
}

}  // namespace

bool can_be_mangled_for_gnu(std::string_view linkage_name, DemangleStyle style) {
  if (style != DemangleStyle::automatic) return style != DemangleStyle::none;
  const std::size_t start = linkage_name.find_first_not_of(".$");
  return start != std::string_view::npos && linkage_name[start] == '_';
}

std::string demangle_like_gnu(std::string_view linkage_name, DemangleStyle style) {
  // Strips the marks before the name and the version after it, and puts them back.
  const std::size_t start = std::min(linkage_name.find_first_not_of(".$"), linkage_name.size());
  const std::size_t version = std::min(linkage_name.find('@', start), linkage_name.size());
  const auto text = demangle_by_style(linkage_name.substr(start, version - start), style);
  if (!text) return std::string(linkage_name);
  return std::string(linkage_name.substr(0, start)) + *text +
         std::string(linkage_name.substr(version));
}

namespace {

struct TypeOfPath {
  std::string_view type;
  std::string_view rest;  // from the "::" on
};

// "<T as Trait>::f" in its parts; none of other names.
std::optional<TypeOfPath> type_of_path(std::string_view name) {
  constexpr std::string_view as = " as ";
  std::size_t end_of_type = std::string_view::npos;
  int depth = 0;
  for (std::size_t i = 0; i < name.size() && name.starts_with('<'); ++i) {
    if (name[i] == '<') ++depth;
    if (depth == 1 && end_of_type == std::string_view::npos && name.substr(i).starts_with(as)) {
      end_of_type = i;
    }
    const bool is_arrow = i > 0 && name[i - 1] == '-';
    if (name[i] != '>' || is_arrow || --depth > 0) continue;
    const std::string_view rest = name.substr(i + 1);
    if (!rest.starts_with("::")) return std::nullopt;
    return TypeOfPath{name.substr(1, std::min(end_of_type, i) - 1), rest};
  }
  return std::nullopt;
}

}  // namespace

std::string without_trait(std::string_view name) {
  // A type may be such a path itself: <<T as Trait>::Item as Other>::f.
  constexpr int max_nested = 4;
  std::string rest;
  for (int i = 0; i < max_nested; ++i) {
    const auto path = type_of_path(name);
    if (!path) break;
    rest = std::string(path->rest) + rest;
    name = path->type;
  }
  return std::string(name) + rest;
}

std::string without_template_arguments(std::string_view with_arguments) {
  const std::string plain = without_trait(with_arguments);
  const std::string_view name = plain;
  std::string stripped;
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view rest = name.substr(i);
    if (rest.starts_with("operator<") || rest.starts_with("operator->") ||
        rest.starts_with("operator>")) {
      return stripped + std::string(rest);
    }
    if (name[i] == '<') {
      // Rust writes "f::<T>".
      if (depth == 0 && stripped.ends_with("::")) stripped.resize(stripped.size() - 2);
      ++depth;
    }
    if (depth == 0) stripped += name[i];
    if (name[i] == '>' && depth > 0) --depth;
  }
  return stripped;
}

}  // namespace gprof
