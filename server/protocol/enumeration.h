// How enumerations are written in messages: by name, or by the protocol's number.
//
//   template <>
//   inline constexpr auto wire_names<Colour> =
//       enum_names<Colour>({{Colour::red, "red"}, {Colour::blue, "blue"}});
//   template <>
//   inline constexpr NumberRange wire_numbers<Weight> = {1, 4};
//
// follows the enumeration, before anything uses it. Thread contract: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace gprof::lsp {

template <typename Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

template <typename Enum, std::size_t count>
struct EnumNames {
  std::string_view type;  // its name in documentation; if empty, the values are listed instead
  std::array<EnumName<Enum>, count> values;
};

template <typename Enum, std::size_t count>
constexpr EnumNames<Enum, count> enum_names(std::string_view type,
                                            const EnumName<Enum> (&values)[count]) {
  return {type, std::to_array(values)};
}
template <typename Enum, std::size_t count>
constexpr EnumNames<Enum, count> enum_names(const EnumName<Enum> (&values)[count]) {
  return {{}, std::to_array(values)};
}

// The numbers that a message may hold: more than the enumeration names if the server needs only
// some of the protocol's.
struct NumberRange {
  std::int32_t least = 0;
  std::int32_t most = 0;
};

template <typename Enum>
inline constexpr std::nullptr_t wire_names = nullptr;
template <typename Enum>
inline constexpr NumberRange wire_numbers = {1, 0};

template <typename T>
concept NamedEnum = std::is_enum_v<T> &&
    !std::is_same_v<std::remove_cvref_t<decltype(wire_names<T>)>, std::nullptr_t>;
template <typename T>
concept NumberedEnum = std::is_enum_v<T> && wire_numbers<T>
.least <= wire_numbers<T>.most;

// Empty for a value that has no name.
template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum value) {
  for (const auto& [known, name] : wire_names<Enum>.values) {
    if (known == value) return name;
  }
  return {};
}

template <NamedEnum Enum>
[[nodiscard]] constexpr std::optional<Enum> value_named(std::string_view name) {
  for (const auto& [value, known] : wire_names<Enum>.values) {
    if (known == name) return value;
  }
  return std::nullopt;
}

// "red, blue", for messages.
template <NamedEnum Enum>
[[nodiscard]] std::string list_of_names() {
  std::string list;
  for (const auto& [value, name] : wire_names<Enum>.values) {
    list.append(list.empty() ? "" : ", ").append(name);
  }
  return list;
}

}  // namespace gprof::lsp
