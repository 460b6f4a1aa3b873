// The lines of folded stacks, and what the names of their frames tell.
//
// Ownership: views are of the text. Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gprof {

struct FoldedFrame {
  std::string_view name;
  std::string_view module;  // empty if it is not told
  std::uint32_t line = 0;
  // Offset of the instruction in the function; none: unknown.
  std::optional<std::uint64_t> offset = {};
  bool is_inlined = false;  // into the frame before
};

struct FoldedThread {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::string_view name;
};

struct FoldedLine {
  std::string_view stack;
  double value = 0;
  // Whether another number precedes the value: a second value, or the end of a name.
  bool has_second_number = false;
};

// None if it is none.
[[nodiscard]] std::optional<FoldedLine> parse_folded_line(std::string_view line);
// The next frame of a stack, from its outermost on; none at its end.
[[nodiscard]] std::optional<std::string_view> take_folded_frame(std::string_view& stack);
[[nodiscard]] FoldedFrame parse_folded_frame(std::string_view text);
// What a first frame tells; none if it is a function.
[[nodiscard]] std::optional<FoldedThread> parse_folded_thread(std::string_view text);

}  // namespace gprof
