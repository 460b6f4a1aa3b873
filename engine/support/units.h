// The engine's units. An Address is always a link-time address, as in the ELF file and its DWARF.
// Collectors subtract the load bias before they write gmon data (glibc and our own both do), so no
// run-time address gets past the file readers.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace gprof {

struct Address {
  std::uint64_t value = 0;

  friend auto operator<=>(const Address&, const Address&) = default;
  // Wrap modulo 2^64, as unsigned arithmetic does: addresses come from files and may be absurd.
  friend Address operator+(Address a, std::uint64_t offset) { return {a.value + offset}; }
  friend Address operator-(Address a, std::uint64_t offset) { return {a.value - offset}; }
  friend std::uint64_t operator-(Address a, Address b) { return a.value - b.value; }
};

// Half open: [low, high). Empty when high <= low.
struct AddressRange {
  Address low;
  Address high;

  [[nodiscard]] bool empty() const { return high <= low; }
  [[nodiscard]] std::uint64_t size() const { return empty() ? 0 : high - low; }
  [[nodiscard]] bool contains(Address a) const { return low <= a && a < high; }
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
  friend auto operator<=>(const AddressRange&, const AddressRange&) = default;
};

[[nodiscard]] inline AddressRange intersect(AddressRange a, AddressRange b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

// Samples; fractional, because a histogram bin may be shared between functions or lines.
using Ticks = double;
// Ticks divided by the profile's rate. Called seconds whatever the profile's dimension is.
using Seconds = double;
inline constexpr double nanoseconds_a_second = 1e9;
// Starts at 1, as in DWARF; 0 means that no line is known.
using LineNumber = std::uint32_t;

enum class ByteOrder : std::uint8_t { little, big };
// Of an address in a file, in bytes.
enum class PointerWidth : std::uint8_t { four = 4, eight = 8 };

}  // namespace gprof
