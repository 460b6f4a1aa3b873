#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/report/call_graph_report.h"
#include "engine/report/layout.h"
#include "engine/report/printed_parts.h"

namespace gprof {
namespace {

constexpr std::size_t column_count = 3;
// No width produces more blanks than this.
constexpr int widest_index = 10'000;
constexpr std::size_t number_end = 5;  // the column in which a cell's number ends, at least
// For gprof's traditional layout.
constexpr std::size_t traditional_number_width = 6;
constexpr std::size_t traditional_name_width = 19;

class NameIndex {
 public:
  explicit NameIndex(const GraphReport& report)
      : report_(report), graph_(report.data.graph), entries_(listed()) {}

  void append_all(TextOutput& text) const;

 private:
  // An entry's number, and whether the entry is printed.
  struct Reference {
    std::uint32_t number = 0;
    bool printed = false;
  };

  [[nodiscard]] std::vector<GraphEntry> listed() const;
  [[nodiscard]] Reference reference(const GraphEntry& entry) const;
  [[nodiscard]] std::string cycle_name(const GraphEntry& entry) const {
    return fmt::format("<cycle {}>", entry.cycle);
  }
  // Distinguishes static functions of one name by their files: " (a.c)".
  [[nodiscard]] std::string file_note(const GraphEntry& entry) const;
  // `column` counts what the line holds so far, as in gprof: without the blanks around numbers.
  void append_cell(TextOutput& text, const GraphEntry& entry, std::size_t start,
                   std::size_t& column) const;
  void append_traditional_cell(TextOutput& text, const GraphEntry& entry) const;
  void append_row(TextOutput& text, std::size_t row, std::size_t rows) const;

  const GraphReport& report_;
  const CallGraph& graph_;
  const std::vector<GraphEntry> entries_;
};

std::vector<GraphEntry> NameIndex::listed() const {
  const ReportData& data = report_.data;
  std::vector<GraphEntry> entries;
  entries.reserve(data.by_name.size() + graph_.cycle_count());
  for (const SymbolIndex symbol : data.by_name) {
    const bool used = graph_.node(symbol).calls != 0 || data.samples.self[symbol] != 0;
    if (used || report_.request.show_unused) entries.push_back({symbol, 0});
  }
  for (CycleNumber cycle = 1; cycle <= graph_.cycle_count(); ++cycle) {
    entries.push_back({no_symbol, cycle});
  }
  return entries;
}

NameIndex::Reference NameIndex::reference(const GraphEntry& entry) const {
  if (entry.is_cycle()) {
    return {report_.index.number_of_cycle(entry.cycle),
            graph_.cycle(entry.cycle).propagated.printed};
  }
  return {report_.index.number_of(entry.symbol), graph_.node(entry.symbol).propagated.printed};
}

std::string NameIndex::file_note(const GraphEntry& entry) const {
  if (entry.is_cycle() || report_.request.by_line) return "";
  const SourceSymbol& symbol = report_.data.symbols[entry.symbol];
  if (!symbol.is_static || symbol.file == no_source_file) return "";
  return fmt::format(" ({})", report_.names.shown_path(symbol.file));
}

void NameIndex::append_cell(TextOutput& text, const GraphEntry& entry, std::size_t start,
                            std::size_t& column) const {
  const Reference reference = this->reference(entry);
  constexpr std::size_t brackets = 2;
  column += brackets + fmt::formatted_size("{}", reference.number);
  const std::size_t end = start + number_end;
  if (column < end) {
    text.append_blanks(end - column);
    column = end;
  }
  text += ' ';
  ReportNames::append_bracketed(text, reference.number, reference.printed);
  text += ' ';
  const std::string made = entry.is_cycle() ? cycle_name(entry) : file_note(entry);
  if (!entry.is_cycle()) {
    report_.names.append_plain(text, entry.symbol);
    column += report_.names.plain(entry.symbol).size();
  }
  text += made;
  column += made.size();
}

void NameIndex::append_traditional_cell(TextOutput& text, const GraphEntry& entry) const {
  const Reference reference = this->reference(entry);
  std::string number = reference.printed ? fmt::format("[{}]", reference.number)
                                         : fmt::format("({})", reference.number);
  number.resize(std::min(number.size(), traditional_number_width));
  text.append_blanks(traditional_number_width - number.size());
  if (reference.printed) {
    text.append(RangeKind::reference, number, reference.number);
  } else {
    text += number;
  }
  text += ' ';
  std::string name = entry.is_cycle() ? cycle_name(entry) : "";
  if (!entry.is_cycle()) name = report_.data.symbols[entry.symbol].name;
  name.resize(std::min(name.size(), traditional_name_width));
  if (entry.is_cycle()) {
    text += name;
  } else {
    text.append(RangeKind::function, name, report_.data.symbols[entry.symbol].address.value);
  }
  text.append_blanks(traditional_name_width - name.size());
}

void NameIndex::append_row(TextOutput& text, std::size_t row, std::size_t rows) const {
  const std::size_t step =
      static_cast<std::size_t>(std::min(report_.request.index_width, widest_index) - 1) /
      column_count;
  std::size_t column = 0;
  std::size_t start = 0;
  for (std::size_t i = row; i < entries_.size(); i += rows) {
    if (report_.request.traditional) {
      append_traditional_cell(text, entries_[i]);
    } else {
      append_cell(text, entries_[i], start, column);
      start += step;
    }
  }
  text += '\n';
}

void NameIndex::append_all(TextOutput& text) const {
  text += "\f\n";
  const TextOutput::Mark section(text, RangeKind::section);
  text.append(RangeKind::heading, "Index by function name");
  text += "\n\n";
  const std::size_t rows = (entries_.size() + column_count - 1) / column_count;
  print_in_parts(text, rows, [&](TextOutput& part, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) append_row(part, row, rows);
  });
}

}  // namespace

void append_name_index(TextOutput& text, const GraphReport& report) {
  NameIndex(report).append_all(text);
}

}  // namespace gprof
