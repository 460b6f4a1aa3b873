#include "engine/import/callgrind_parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/import/imported_profile.h"
#include "engine/import/text_tokens.h"
#include "engine/support/limits.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// Bytes; longer names are cut.
constexpr std::size_t longest_event_name = 128;
// It is read again with each part of the file, as long as events that it names are missing.
constexpr std::size_t longest_formula = 4096;

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

LineNumber line_number(std::uint64_t line) {
  return line <= std::numeric_limits<LineNumber>::max() ? static_cast<LineNumber>(line) : 0;
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

void CallgrindParser::PartNumber::begin_part() {
  ++parts_;
  if (!std::exchange(is_told_, false)) of_part_ = 0;
}

void CallgrindParser::PartNumber::take(std::string_view text) {
  const auto found = parse_number(take_word(text));
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t value = found && *found <= most ? static_cast<std::uint32_t>(*found) : 0;
  same_ = same_ && (told_ == 0 || number_ == value);
  number_ = of_part_ = value;
  is_told_ = true;
  ++told_;
}

void CallgrindParser::leave_out(std::string_view name) {
  const bool known = std::find(left_out_.begin(), left_out_.end(), name) != left_out_.end();
  if (!known && left_out_.size() < most_callgrind_events) left_out_.push_back(name);
}

std::optional<std::size_t> CallgrindParser::event_named(std::string_view name) {
  const auto known = std::find_if(events_.begin(), events_.end(),
                                  [&](const CallgrindEvent& event) { return event.name == name; });
  if (known != events_.end()) return static_cast<std::size_t>(known - events_.begin());
  if (events_.size() == most_callgrind_events) {
    leave_out(name);
    return std::nullopt;
  }
  events_.push_back({name, {}, {}});
  return events_.size() - 1;
}

void CallgrindParser::take_events(std::string_view value) {
  process_.begin_part();
  thread_.begin_part();
  columns_.clear();
  for (std::string_view name = take_word(value); !name.empty(); name = take_word(value)) {
    const auto event = columns_.emplace_back(event_named(name.substr(0, longest_event_name)));
    if (!event) continue;
    // It was defined by others in an earlier part.
    events_[*event].formula = {};
    std::erase_if(sums_, [&](const Sum& sum) { return sum.event == *event; });
  }
  has_new_formulas_ = true;
}

void CallgrindParser::take_event(std::string_view value) {
  const std::size_t end = std::min(value.find_first_of(" \t=:"), value.size());
  CallgrindEvent event;
  event.name = value.substr(0, std::min(end, longest_event_name));
  value = trim(value.substr(end));
  const std::size_t colon = std::min(value.find(':'), value.size());
  if (value.starts_with('=')) event.formula = trim(value.substr(1, colon - 1));
  if (colon < value.size()) {
    event.long_name = trim(value.substr(colon + 1)).substr(0, longest_event_name);
  }
  const bool known =
      std::any_of(described_.begin(), described_.end(),
                  [&](const CallgrindEvent& other) { return other.name == event.name; });
  if (known || event.name.empty()) return;
  if (event.formula.size() > longest_formula) return leave_out(event.name);
  if (described_.size() == 2 * most_callgrind_events) return leave_out(event.name);
  described_.push_back(event);
  has_new_formulas_ = true;
}

// Sums of names, each with a number before it or none: `Ir + 10 Dr + 2 * Dw`.
std::optional<std::vector<CallgrindParser::Term>> CallgrindParser::terms_of(
    std::string_view formula) const {
  std::vector<Term> terms;
  while (true) {
    const std::size_t end = std::min(formula.find('+'), formula.size());
    std::string_view text = trim(formula.substr(0, end));
    Term term{0, 1};
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits > 0) {
      const auto factor = parse_number(text.substr(0, digits));
      if (!factor) return std::nullopt;
      term.factor = *factor;
      text = trim(text.substr(digits));
      if (text.starts_with('*')) text = trim(text.substr(1));
    }
    const auto known =
        std::find_if(events_.begin(), events_.end(),
                     [&](const CallgrindEvent& event) { return event.name == text; });
    if (known == events_.end()) return std::nullopt;
    term.event = static_cast<std::size_t>(known - events_.begin());
    // However often it stands there, an event is one term.
    const auto same = std::find_if(terms.begin(), terms.end(),
                                   [&](const Term& other) { return other.event == term.event; });
    if (same == terms.end()) {
      terms.push_back(term);
    } else {
      same->factor = saturating_add(same->factor, term.factor);
    }
    if (end == formula.size()) return terms;
    formula.remove_prefix(end + 1);
  }
}

void CallgrindParser::take_formulas() {
  if (!std::exchange(has_new_formulas_, false)) return;
  for (const CallgrindEvent& described : described_) {
    const auto known =
        std::find_if(events_.begin(), events_.end(),
                     [&](const CallgrindEvent& event) { return event.name == described.name; });
    if (known != events_.end()) {
      known->long_name = described.long_name;
      continue;
    }
    if (described.formula.empty()) continue;
    auto terms = terms_of(described.formula);
    const auto event = terms ? event_named(described.name) : std::nullopt;
    if (!event) {
      leave_out(described.name);
      continue;
    }
    events_[*event] = described;
    sums_.push_back({*event, *std::move(terms)});
  }
}

void CallgrindParser::take_header(std::string_view key, std::string_view value) {
  if (key == "events") {
    take_events(value);
  } else if (key == "event") {
    take_event(value);
  } else if (key == "cmd") {
    if (command_.empty()) command_ = value.substr(0, longest_shared_name);
  } else if (key == "pid") {
    process_.take(value);
  } else if (key == "thread") {
    thread_.take(value);
  } else if (key == "positions") {
    has_instructions_ = value.find("instr") != std::string_view::npos;
    has_lines_ = value.find("line") != std::string_view::npos;
  } else if (key == "part") {
    // Each part starts anew.
    instruction_ = line_ = 0;
  }
}

std::string_view CallgrindParser::name(std::string_view value, Names& names) {
  value = trim(value);
  if (!value.starts_with('(')) return value.substr(0, longest_shared_name);
  const std::size_t end = value.find(')');
  const auto id = end == std::string_view::npos ? std::nullopt : number(value.substr(1, end - 1));
  // A name in parentheses: (below main).
  if (!id) return value;
  const std::string_view text = trim(value.substr(end + 1)).substr(0, longest_shared_name);
  if (!text.empty()) return names[*id] = text;
  const auto known = names.find(*id);
  if (known != names.end()) return known->second;
  // A missing name does not make the costs unreadable: its index is shown instead.
  ++unnamed_;
  return names[*id] = value.substr(0, end + 1);
}

void CallgrindParser::take_name(std::string_view key, std::string_view value) {
  const bool is_object = key.ends_with("ob");
  const bool is_function = key.ends_with("fn");
  const std::string_view found = name(value, is_object     ? objects_
                                             : is_function ? functions_
                                                           : files_);
  // Jumps are ignored, but the lines of their targets may define names.
  if (key.starts_with('j')) return;
  if (key == "ob") {
    here_.object = found;
  } else if (key == "fl" || key == "fi" || key == "fe") {
    here_.file = found;
  } else if (key == "fn") {
    here_.function = found;
    here_.function_file = here_.file;
  } else if (key == "cob") {
    callee_.object = found;
    callee_has_object_ = true;
  } else if (key == "cfn") {
    callee_.function = found;
  } else {
    callee_.file = found;
    callee_has_file_ = true;
  }
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

Expected<void> CallgrindParser::take_costs(std::string_view line) {
  take_formulas();
  costs_.assign(events_.size(), 0);
  for (const std::optional<std::size_t> column : columns_) {
    const std::string_view word = take_word(line);
    // Those that are missing at the end are zero.
    if (word.empty()) break;
    const auto found = number(word);
    if (!found) return damage("a cost");
    if (column) costs_[*column] = saturating_add(costs_[*column], *found);
  }
  for (const Sum& sum : sums_) {
    for (const Term& term : sum.terms) {
      costs_[sum.event] =
          saturating_add(costs_[sum.event], saturating_multiply(term.factor, costs_[term.event]));
    }
  }
  return {};
}

Expected<void> CallgrindParser::take_calls(std::string_view value) {
  const auto calls = number(take_word(value));
  if (!calls) return damage("a number of calls");
  calls_ = *calls;
  is_call_ = true;
  entry_instruction_ = entry_line_ = 0;
  // The callee's position is a hint: a bad one does not make the costs unreadable.
  if (!take_position(value, entry_instruction_, entry_line_)) entry_instruction_ = entry_line_ = 0;
  return {};
}

Expected<void> CallgrindParser::take_cost(std::string_view line) {
  if (!take_position(line, instruction_, line_)) return damage("a position");
  CallgrindCost cost;
  cost.place = here_;
  cost.instruction = has_instructions_ ? instruction_ : 0;
  cost.line = line_number(line_);
  TRY(take_costs(line));
  cost.costs = costs_;
  cost.process = process_.of_part();
  cost.thread = thread_.of_part();
  if (std::exchange(is_call_, false)) {
    if (!std::exchange(callee_has_object_, false)) callee_.object = here_.object;
    if (!std::exchange(callee_has_file_, false)) callee_.file = here_.file;
    callee_.function_file = callee_.file;
    cost.callee = std::exchange(callee_, {});
    cost.calls = calls_;
    cost.entry_instruction = entry_instruction_;
    cost.entry_line = line_number(entry_line_);
  }
  (*visit_)(cost);
  return {};
}

Expected<void> CallgrindParser::take(std::string_view line) {
  constexpr std::array<std::string_view, 13> names = {
      "ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn", "job", "jfi", "jfl", "jfn"};
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
  if (std::find(names.begin(), names.end(), key) != names.end()) {
    take_name(key, value);
    return {};
  }
  return key == "calls" ? take_calls(value) : Expected<void>();
}

Expected<void> CallgrindParser::parse(const std::function<void(const CallgrindCost&)>& visit) {
  visit_ = &visit;
  std::string_view rest = text_;
  while (!rest.empty()) {
    offset_ = text_.size() - rest.size();
    TRY(take(trim(*take_line(rest))));
  }
  take_formulas();
  return {};
}

}  // namespace gprof
