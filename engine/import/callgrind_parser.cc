#include "engine/import/callgrind_parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/import/imported_profile.h"
#include "engine/import/text_tokens.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  if (!text.starts_with("0x")) return parse_number(text);
  text.remove_prefix(2);
  return parse_number(text, 16);
}

// `*` is the last position; `+N` and `-N` are relative to it.
std::optional<std::uint64_t> position(std::string_view word, std::uint64_t last) {
  if (word == "*") return last;
  if (word.starts_with('+') || word.starts_with('-')) {
    const auto distance = number(word.substr(1));
    if (!distance) return std::nullopt;
    return word.front() == '+' ? last + *distance : last - *distance;
  }
  return number(word);
}

bool begins_a_position(char letter) {
  return (letter >= '0' && letter <= '9') || letter == '+' || letter == '-' || letter == '*';
}

}  // namespace

Error CallgrindParser::damage(std::string expected) const {
  return Error{ErrorCode::corrupt,
               fmt::format("{} expected; the file is damaged, or not in callgrind's format: write "
                           "it again",
                           std::move(expected)),
               path_, offset_};
}

void CallgrindParser::take_header(std::string_view key, std::string_view value) {
  if (key == "events" && event_.empty()) {
    event_ = take_word(value);
  } else if (key == "positions") {
    has_instructions_ = value.find("instr") != std::string_view::npos;
    has_lines_ = value.find("line") != std::string_view::npos;
  } else if (key == "part") {
    // Each part starts anew.
    instruction_ = line_ = 0;
  }
}

Expected<std::string_view> CallgrindParser::name(std::string_view value, Names& names) {
  value = trim(value);
  if (!value.starts_with('(')) return value.substr(0, longest_shared_name);
  const std::size_t end = value.find(')');
  const auto id = end == std::string_view::npos ? std::nullopt : number(value.substr(1, end - 1));
  // A name in parentheses: (below main).
  if (!id) return value;
  const std::string_view text = trim(value.substr(end + 1)).substr(0, longest_shared_name);
  if (!text.empty()) return names[*id] = text;
  const auto known = names.find(*id);
  if (known == names.end()) return damage(fmt::format("a name for the number {}", *id));
  return known->second;
}

Expected<void> CallgrindParser::take_name(std::string_view key, std::string_view value) {
  const bool is_object = key == "ob" || key == "cob";
  const bool is_function = key == "fn" || key == "cfn";
  TRY_ASSIGN(auto found, name(value, is_object ? objects_ : is_function ? functions_ : files_));
  if (key == "ob") {
    here_.object = found;
  } else if (key == "fl" || key == "fi" || key == "fe") {
    here_.file = found;
  } else if (key == "fn") {
    here_.function = found;
  } else if (key == "cob") {
    callee_.object = found;
    callee_has_object_ = true;
  } else if (key == "cfn") {
    callee_.function = found;
  } else {
    callee_.file = found;
  }
  return {};
}

bool CallgrindParser::take_position(std::string_view& line, std::uint64_t& instruction,
                                    std::uint64_t& source_line) const {
  if (has_instructions_) {
    const auto found = position(take_word(line), instruction_);
    if (!found) return false;
    instruction = *found;
  }
  if (has_lines_) {
    const auto found = position(take_word(line), line_);
    if (!found) return false;
    source_line = *found;
  }
  return true;
}

Expected<void> CallgrindParser::take_cost(std::string_view line) {
  if (!take_position(line, instruction_, line_)) return damage("a position");
  CallgrindCost cost;
  cost.place = here_;
  cost.instruction = has_instructions_ ? instruction_ : 0;
  constexpr std::uint64_t last_line = std::numeric_limits<LineNumber>::max();
  cost.line = static_cast<LineNumber>(line_ <= last_line ? line_ : 0);
  const std::string_view word = take_word(line);
  if (!word.empty()) {
    const auto found = number(word);
    if (!found) return damage("a cost");
    cost.cost = *found;
  }
  if (std::exchange(is_call_, false)) {
    if (!std::exchange(callee_has_object_, false)) callee_.object = here_.object;
    cost.callee = std::exchange(callee_, {});
    cost.calls = calls_;
  }
  (*visit_)(cost);
  return {};
}

Expected<void> CallgrindParser::take(std::string_view line) {
  constexpr std::array<std::string_view, 9> names = {"ob",  "fl",  "fi",  "fe", "fn",
                                                     "cob", "cfi", "cfl", "cfn"};
  if (line.empty() || line.front() == '#') return {};
  if (begins_a_position(line.front())) return take_cost(line);
  const std::size_t end = line.find_first_of("=:");
  if (end == std::string_view::npos) return {};
  const std::string_view key = trim(line.substr(0, end));
  const std::string_view value = line.substr(end + 1);
  if (line[end] == ':') {
    take_header(key, trim(value));
    return {};
  }
  if (std::find(names.begin(), names.end(), key) != names.end()) return take_name(key, value);
  if (key != "calls") return {};
  std::string_view rest = value;
  const auto calls = number(take_word(rest));
  if (!calls) return damage("a number of calls");
  calls_ = *calls;
  is_call_ = true;
  return {};
}

Expected<void> CallgrindParser::parse(const std::function<void(const CallgrindCost&)>& visit) {
  visit_ = &visit;
  std::string_view rest = text_;
  while (!rest.empty()) {
    offset_ = text_.size() - rest.size();
    TRY(take(trim(*take_line(rest))));
  }
  return {};
}

}  // namespace gprof
