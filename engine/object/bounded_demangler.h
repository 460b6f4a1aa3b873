// libiberty's demanglers with a bound on their output.
//
// A name of a few hundred bytes can stand for gigabytes, because substitutions double; libiberty
// bounds its recursion, not its output. Thread contract: any thread. Errors: none; empty if the
// name is not in the scheme, too long, or expands too far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gprof {

// Longer names are left as they are.
inline constexpr std::size_t longest_linkage_name = std::size_t{64} << 10;
inline constexpr std::size_t longest_demangled_name = std::size_t{64} << 10;

enum class NameStyle : std::uint8_t {
  name,       // no parameters: "box<int>::grow"
  signature,  // parameters, no return type
  full,       // parameters, and the return type where the scheme knows it
};

[[nodiscard]] std::optional<std::string> demangle_itanium(std::string_view name, NameStyle style);
// As Java writes names: "ns.box.grow(long)".
[[nodiscard]] std::optional<std::string> demangle_java(std::string_view name);
[[nodiscard]] std::optional<std::string> demangle_rust(std::string_view name);
[[nodiscard]] std::optional<std::string> demangle_d(std::string_view name);
[[nodiscard]] std::optional<std::string> demangle_gnat(std::string_view name);

}  // namespace gprof
