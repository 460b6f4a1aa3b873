#include "engine/import/folded_lines.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "engine/import/text_tokens.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

constexpr std::string_view kernel = "[kernel]";

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto number = parse_number(text);
  if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

// `_[k]`, `_[i]`, `_[j]`, `_[0]`, `_[1]`.
char take_mark(std::string_view& text) {
  constexpr std::size_t size = 4;
  if (text.size() <= size || !text.ends_with(']')) return 0;
  const std::string_view end = text.substr(text.size() - size);
  if (!end.starts_with("_[")) return 0;
  text.remove_suffix(size);
  return end[2];
}

// `f [libc.so.6]`: as our own export has it.
void take_module_behind(FoldedFrame& frame) {
  const std::size_t open = frame.name.rfind(" [");
  if (open == std::string_view::npos || open == 0 || !frame.name.ends_with(']')) return;
  frame.module = frame.name.substr(open + 2, frame.name.size() - open - 3);
  frame.name = frame.name.substr(0, open);
}

// "libc.so.6`f" and `libc.so.6!f`. An operator has no module's name before it.
void take_module_before(FoldedFrame& frame) {
  const std::size_t mark = frame.name.find_first_of("`!");
  if (mark == std::string_view::npos || mark == 0 || mark + 1 == frame.name.size()) return;
  const std::string_view module = frame.name.substr(0, mark);
  if (module.find_first_of(" (<") != std::string_view::npos || module.ends_with("operator")) return;
  frame.module = module;
  frame.name = frame.name.substr(mark + 1);
}

// `f+0x12`
void take_offset(FoldedFrame& frame) {
  const std::size_t plus = frame.name.rfind("+0x");
  if (plus == std::string_view::npos || plus == 0) return;
  frame.offset = parse_number(frame.name.substr(plus + 3), 16);
  if (frame.offset) frame.name = frame.name.substr(0, plus);
}

void take_line_number(FoldedFrame& frame) {
  const std::size_t colon = frame.name.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || frame.name[colon - 1] == ':') return;
  const auto line = small_number(frame.name.substr(colon + 1));
  if (!line) return;
  frame.line = *line;
  frame.name = frame.name.substr(0, colon);
}

}  // namespace

std::optional<FoldedLine> parse_folded_line(std::string_view line) {
  line = trim(line);
  const std::size_t blank = line.find_last_of(" \t");
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string_view word = line.substr(blank + 1);
  FoldedLine parsed;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), parsed.value,
                                            std::chars_format::fixed);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (!std::isfinite(parsed.value) || parsed.value < 0) return std::nullopt;
  parsed.stack = trim(line.substr(0, blank));
  if (parsed.stack.empty()) return std::nullopt;
  const std::size_t before = parsed.stack.find_last_of(" \t");
  parsed.has_second_number =
      before != std::string_view::npos && parse_number(parsed.stack.substr(before + 1)).has_value();
  return parsed;
}

std::optional<std::string_view> take_folded_frame(std::string_view& stack) {
  if (stack.empty()) return std::nullopt;
  const std::size_t end = stack.find(';');
  const std::string_view frame = stack.substr(0, end);
  stack.remove_prefix(end == std::string_view::npos ? stack.size() : end + 1);
  return trim(frame);
}

FoldedFrame parse_folded_frame(std::string_view text) {
  FoldedFrame frame;
  const char mark = take_mark(text);
  frame.name = text.substr(0, longest_shared_name);
  frame.is_inlined = mark == 'i';
  if (mark == 'k') frame.module = kernel;
  if (frame.module.empty()) take_module_behind(frame);
  if (frame.module.empty()) take_module_before(frame);
  take_line_number(frame);
  take_offset(frame);
  // `[libc.so.6]`: a module of which no function is known.
  const bool is_module = frame.module.empty() && frame.name.size() > 2 &&
                         frame.name.starts_with('[') && frame.name.ends_with(']') &&
                         frame.name.find(".so") != std::string_view::npos;
  if (is_module) {
    frame.module = frame.name.substr(1, frame.name.size() - 2);
    frame.name = {};
  }
  return frame;
}

std::optional<FoldedThread> parse_folded_thread(std::string_view text) {
  FoldedThread thread;
  if (text.starts_with('[') && text.ends_with(']')) {
    constexpr std::string_view key = "tid=";
    const std::size_t found = text.rfind(key);
    if (found == std::string_view::npos) return std::nullopt;
    const auto number =
        small_number(text.substr(found + key.size(), text.size() - found - key.size() - 1));
    if (!number) return std::nullopt;
    thread.thread = *number;
    thread.name = trim(text.substr(1, found - 1));
    return thread;
  }
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return std::nullopt;
  const std::string_view numbers = text.substr(dash + 1);
  const std::size_t slash = numbers.find('/');
  const auto process = small_number(numbers.substr(0, slash));
  if (!process) return std::nullopt;
  thread.name = text.substr(0, dash);
  thread.process = *process;
  if (slash == std::string_view::npos) return thread;
  const auto number = small_number(numbers.substr(slash + 1));
  if (!number) return std::nullopt;
  thread.thread = *number;
  return thread;
}

}  // namespace gprof
