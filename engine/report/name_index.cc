#include <algorithm>
#include <vector>

#include "engine/report/call_graph_report.h"
#include "engine/report/layout.h"

namespace gprof {
namespace {

constexpr std::size_t column_count = 3;
// No more blanks than this are made of a width.
constexpr int widest_index = 10'000;
constexpr std::size_t number_end = 5;  // the column in which a cell's number ends, at least
// Of gprof's traditional layout.
constexpr std::size_t traditional_number_width = 6;
constexpr std::size_t traditional_name_width = 19;

class NameIndex {
 public:
  NameIndex(std::string& text, const GraphReport& report)
      : text_(text), report_(report), graph_(report.data.graph) {}

  void append_all();

 private:
  [[nodiscard]] std::vector<GraphEntry> listed() const;
  [[nodiscard]] std::string number(const GraphEntry& entry) const;
  [[nodiscard]] std::string name(const GraphEntry& entry) const;
  [[nodiscard]] std::string file_note(const GraphEntry& entry) const;
  // `column` counts what the line holds so far, as gprof does: without the blanks around numbers.
  void append_cell(const GraphEntry& entry, std::size_t start, std::size_t& column);
  void append_traditional_cell(const GraphEntry& entry);

  std::string& text_;
  const GraphReport& report_;
  const CallGraph& graph_;
};

std::vector<GraphEntry> NameIndex::listed() const {
  const ReportData& data = report_.data;
  std::vector<GraphEntry> entries;
  for (SymbolIndex symbol = 0; symbol < data.symbols.size(); ++symbol) {
    const bool used = graph_.node(symbol).calls != 0 || data.samples.self[symbol] != 0;
    if (used || report_.request.show_unused) entries.push_back({symbol, 0});
  }
  std::stable_sort(entries.begin(), entries.end(), [&](const GraphEntry& a, const GraphEntry& b) {
    return data.symbols[a.symbol].name < data.symbols[b.symbol].name;
  });
  for (CycleNumber cycle = 1; cycle <= graph_.cycle_count(); ++cycle) {
    entries.push_back({no_symbol, cycle});
  }
  return entries;
}

std::string NameIndex::number(const GraphEntry& entry) const {
  if (entry.is_cycle()) {
    return ReportNames::bracketed(report_.index.number_of_cycle(entry.cycle),
                                  graph_.cycle(entry.cycle).propagated.printed);
  }
  return ReportNames::bracketed(report_.index.number_of(entry.symbol),
                                graph_.node(entry.symbol).propagated.printed);
}

std::string NameIndex::name(const GraphEntry& entry) const {
  if (entry.is_cycle()) return fmt::format("<cycle {}>", entry.cycle);
  return report_.names.plain(entry.symbol);
}

// Static functions of one name are told apart by their files.
std::string NameIndex::file_note(const GraphEntry& entry) const {
  if (entry.is_cycle() || report_.request.by_line) return "";
  const SourceSymbol& symbol = report_.data.symbols[entry.symbol];
  if (!symbol.is_static || symbol.file == no_source_file) return "";
  return fmt::format(" ({})", report_.names.shown_path(symbol.file));
}

void NameIndex::append_cell(const GraphEntry& entry, std::size_t start, std::size_t& column) {
  const std::string bracketed = number(entry);
  const std::string shown = name(entry) + file_note(entry);
  column += bracketed.size();
  const std::size_t end = start + number_end;
  if (column < end) {
    text_.append(end - column, ' ');
    column = end;
  }
  text_ += ' ' + bracketed + ' ' + shown;
  column += shown.size();
}

void NameIndex::append_traditional_cell(const GraphEntry& entry) {
  const std::string shown =
      entry.is_cycle() ? name(entry) : std::string(report_.data.symbols[entry.symbol].name);
  text_ += right_aligned(number(entry), traditional_number_width) + ' ' +
           left_aligned(shown, traditional_name_width);
}

void NameIndex::append_all() {
  text_ += "\f\nIndex by function name\n\n";
  const std::vector<GraphEntry> entries = listed();
  const std::size_t rows = (entries.size() + column_count - 1) / column_count;
  const std::size_t step =
      static_cast<std::size_t>(std::min(report_.request.index_width, widest_index) - 1) /
      column_count;
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t column = 0;
    std::size_t start = 0;
    for (std::size_t i = row; i < entries.size(); i += rows) {
      if (report_.request.traditional) {
        append_traditional_cell(entries[i]);
      } else {
        append_cell(entries[i], start, column);
        start += step;
      }
    }
    text_ += '\n';
  }
}

}  // namespace

void append_name_index(std::string& text, const GraphReport& report) {
  NameIndex(text, report).append_all();
}

}  // namespace gprof
