#include "server/features/report_rows.h"

#include <algorithm>
#include <charconv>

namespace gprof::lsp {
namespace {

// The blanks in the flat profile for a function without calls: three columns and the gaps between
// them.
constexpr std::size_t blank_call_columns = 29;
constexpr int most_numbers_a_row = 8;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

// Steps through the columns of a row.
class Columns {
 public:
  explicit Columns(std::string_view line) : line_(line) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ >= line_.size(); }
  std::size_t skip_blanks() {
    const std::size_t before = at_;
    while (!at_end() && line_[at_] == ' ') ++at_;
    return at_ - before;
  }
  // Up to the next blank.
  [[nodiscard]] std::string_view word() const {
    return line_.substr(at_, line_.substr(at_).find(' '));
  }
  void skip(std::size_t bytes) { at_ = std::min(at_ + bytes, line_.size()); }

 private:
  std::string_view line_;
  std::size_t at_ = 0;
};

// A column of figures, as printf writes them: "0.07", "+-0.01", "12/34", "10+4", "inf", "-nan".
bool is_figure(std::string_view word) {
  if (word == "inf" || word == "-inf" || word == "nan" || word == "-nan") return true;
  return !word.empty() && word.find_first_not_of("0123456789.+-/") == std::string_view::npos &&
         std::ranges::any_of(word, is_digit);
}

// Calls from others: "10" for "10+4", nothing for "12/34", which belongs to an arc.
std::optional<std::uint64_t> calls_of(std::string_view word) {
  return parse_number<std::uint64_t>(word.substr(0, word.find('+')));
}

// "[4]" or "(4)" at the end of `text`.
struct Bracketed {
  std::uint32_t number = 0;
  std::size_t begin = 0;
};
std::optional<Bracketed> number_at_end(std::string_view text) {
  if (text.size() < 3 || (text.back() != ']' && text.back() != ')')) return std::nullopt;
  const std::size_t open = text.rfind(text.back() == ']' ? '[' : '(');
  if (open == std::string_view::npos || (open > 0 && text[open - 1] != ' ')) return std::nullopt;
  const auto number = parse_number<std::uint32_t>(text.substr(open + 1, text.size() - open - 2));
  if (!number) return std::nullopt;
  return Bracketed{*number, open};
}

void cut(std::string_view& text, std::size_t size) {
  text = text.substr(0, size);
  while (text.ends_with(' ')) text.remove_suffix(1);
}

// "(a.c:7 @ 11b9)": the source position that line-by-line reports add to a name.
void take_place(RowName& name) {
  if (!name.name.ends_with(')')) return;
  const std::size_t open = name.name.rfind(" (");
  if (open == std::string_view::npos) return;
  const std::string_view inside = name.name.substr(open + 2, name.name.size() - open - 3);
  const std::size_t at = inside.rfind(" @ ");
  const std::string_view place = inside.substr(0, at);
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || !parse_number<std::uint32_t>(place.substr(colon + 1))) {
    return;
  }
  if (at != std::string_view::npos) {
    const auto address = parse_number<std::uint64_t>(inside.substr(at + 3), 16);
    if (!address) return;
    name.address = Address{*address};
  }
  name.note = place.substr(0, colon);
  cut(name.name, open);
}

}  // namespace

RowName parse_name(std::string_view line, std::size_t begin) {
  RowName result;
  result.begin = begin;
  result.name = line.substr(begin);
  cut(result.name, result.name.size());
  if (const auto number = number_at_end(result.name)) {
    result.entry = number->number;
    result.entry_begin = begin + number->begin;
    result.entry_end = begin + result.name.size();
    cut(result.name, number->begin);
  }
  result.is_cycle = result.name.starts_with("<cycle ") || result.name == "<spontaneous>";
  if (result.is_cycle) return result;
  if (const std::size_t cycle = result.name.rfind(" <cycle ");
      cycle != std::string_view::npos && result.name.ends_with('>')) {
    cut(result.name, cycle);
  }
  take_place(result);
  return result;
}

std::optional<ReportRow> parse_flat_row(std::string_view line) {
  Columns columns(line);
  for (int i = 0; i < 3; ++i) {
    columns.skip_blanks();
    if (!is_figure(columns.word())) return std::nullopt;
    columns.skip(columns.word().size());
  }
  ReportRow row;
  std::size_t blanks = columns.skip_blanks();
  if (columns.word().starts_with("+-")) {
    columns.skip(columns.word().size());
    blanks = columns.skip_blanks();
  }
  if (blanks < blank_call_columns) {
    row.calls = parse_number<std::uint64_t>(columns.word());
    for (int i = 0; i < 3; ++i) {
      if (!is_figure(columns.word())) return std::nullopt;
      columns.skip(columns.word().size());
      columns.skip_blanks();
    }
  } else {
    row.calls = 0;
  }
  if (columns.at_end()) return std::nullopt;
  row.name = parse_name(line, columns.at());
  return row;
}

std::optional<ReportRow> parse_graph_row(std::string_view line) {
  Columns columns(line);
  ReportRow row;
  if (line.starts_with('[')) {
    const std::size_t close = line.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    const auto number = parse_number<std::uint32_t>(line.substr(1, close - 1));
    if (!number) return std::nullopt;
    row.primary = *number;
    columns.skip(close + 1);
  }
  int figures = 0;
  std::string_view last;
  for (columns.skip_blanks(); is_figure(columns.word()); columns.skip_blanks()) {
    if (++figures > most_numbers_a_row) return std::nullopt;
    last = columns.word();
    columns.skip(last.size());
  }
  if (columns.at_end()) return std::nullopt;
  row.name = parse_name(line, columns.at());
  if (row.name.name == "<spontaneous>") return row;
  // Explanations are sentences, without a number at the end.
  if (figures == 0 || row.name.entry == 0) return std::nullopt;
  const bool is_count = last.find('.') == std::string_view::npos;
  if (row.primary != 0) row.calls = is_count ? calls_of(last) : std::optional<std::uint64_t>(0);
  return row;
}

std::optional<ExecutionsRow> parse_executions_row(std::string_view line) {
  if (!line.ends_with(" executions")) return std::nullopt;
  const std::size_t address = line.rfind(":0x");
  if (address == std::string_view::npos) return std::nullopt;
  const std::size_t close = line.find(") ", address);
  const std::size_t open = line.rfind(": (", address);
  if (close == std::string_view::npos || open == std::string_view::npos) return std::nullopt;
  const std::size_t colon = line.rfind(':', open == 0 ? 0 : open - 1);
  if (colon == std::string_view::npos) return std::nullopt;
  const auto number = parse_number<LineNumber>(line.substr(colon + 1, open - colon - 1));
  const auto value = parse_number<std::uint64_t>(line.substr(address + 3, close - address - 3), 16);
  if (!number || !value) return std::nullopt;
  ExecutionsRow row;
  row.path = line.substr(0, colon);
  row.line = *number;
  row.name_begin = open + 3;
  row.name = line.substr(row.name_begin, address - row.name_begin);
  row.address = Address{*value};
  return row;
}

std::optional<IndexCell> next_index_cell(std::string_view line, std::size_t from) {
  const auto number_at = [&](std::size_t at) -> std::optional<IndexCell> {
    if ((line[at] != '[' && line[at] != '(') || (at > 0 && line[at - 1] != ' ')) return {};
    std::size_t end = at + 1;
    while (end < line.size() && is_digit(line[end])) ++end;
    const char close = line[at] == '[' ? ']' : ')';
    if (end + 1 >= line.size() || line[end] != close || line[end + 1] != ' ') return {};
    const auto number = parse_number<std::uint32_t>(line.substr(at + 1, end - at - 1));
    if (!number) return {};
    return IndexCell{*number, at, end + 1, end + 2, line.size()};
  };
  std::optional<IndexCell> cell;
  for (std::size_t at = from; at < line.size(); ++at) {
    const auto number = number_at(at);
    if (!number) continue;
    if (!cell) {
      cell = number;
      continue;
    }
    cell->end = at;
    break;
  }
  if (!cell) return std::nullopt;
  while (cell->end > cell->begin && line[cell->end - 1] == ' ') --cell->end;
  return cell;
}

}  // namespace gprof::lsp
