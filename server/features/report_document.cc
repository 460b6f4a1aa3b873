#include "server/features/report_document.h"

#include <algorithm>
#include <string>

#include "server/features/report_rows.h"

namespace gprof::lsp {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const LineTable& lines, ReportPage page)
      : text_(text), lines_(lines), page_(page) {}

  ReportDocument parse();

 private:
  enum class Part : std::uint8_t { none, flat, graph, index, source, explanation };

  void take_line(std::uint32_t number, std::string_view line);
  bool begins_part(std::uint32_t number, std::string_view line);
  void take_flat(std::uint32_t number, std::string_view line);
  void take_graph(std::uint32_t number, std::string_view line);
  void take_index(std::uint32_t number, std::string_view line);
  void take_executions(std::uint32_t number, std::string_view line);
  void take_linkage_name(std::uint32_t number, std::string_view line);
  void add_name(std::uint32_t number, const ReportRow& row);
  void end_section(std::uint32_t next);
  void end_part(std::uint32_t next);
  void fold(std::uint32_t first, std::uint32_t next, bool explanation);
  [[nodiscard]] bool is_blank(std::uint32_t number) const;

  std::string_view text_;
  const LineTable& lines_;
  ReportPage page_;
  ReportDocument document_;
  Part part_ = Part::none;
  std::uint32_t part_begin_ = 0;
  std::uint32_t section_begin_ = 0;
  std::vector<ReportFold> section_folds_;
  std::optional<std::uint32_t> entry_begin_;
  bool traditional_ = false;
};

ReportDocument Parser::parse() {
  const auto count = static_cast<std::uint32_t>(lines_.line_count());
  for (std::uint32_t number = 0; number < count; ++number) {
    take_line(number, lines_.line(text_, number));
  }
  end_part(count);
  end_section(count);
  // A single report needs no fold of its own.
  if (section_folds_.size() > 1) {
    document_.folds.insert(document_.folds.end(), section_folds_.begin(), section_folds_.end());
  }
  std::stable_sort(document_.folds.begin(), document_.folds.end(),
                   [](const ReportFold& a, const ReportFold& b) {
                     return a.first != b.first ? a.first < b.first : a.last > b.last;
                   });
  // A source is a section as well.
  const auto same = [](const ReportFold& a, const ReportFold& b) {
    return a.first == b.first && a.last == b.last;
  };
  document_.folds.erase(std::unique(document_.folds.begin(), document_.folds.end(), same),
                        document_.folds.end());
  return std::move(document_);
}

void Parser::take_line(std::uint32_t number, std::string_view line) {
  if (page_ == ReportPage::function_ordering) return take_linkage_name(number, line);
  if (page_ == ReportPage::execution_counts) return take_executions(number, line);
  if (begins_part(number, line)) return;
  switch (part_) {
    case Part::flat:
      return take_flat(number, line);
    case Part::graph:
      return take_graph(number, line);
    case Part::index:
      return take_index(number, line);
    case Part::none:
    case Part::source:
    case Part::explanation:
      return;
  }
}

bool Parser::begins_part(std::uint32_t number, std::string_view line) {
  const auto begin = [&](Part part) {
    end_part(number);
    part_ = part;
    part_begin_ = number;
    return true;
  };
  if (line == "\f") {
    begin(Part::none);
    end_section(number);
    section_begin_ = number + 1;
    return true;
  }
  if (line.starts_with("*** File ") && line.ends_with(':')) {
    begin(Part::source);
    const std::size_t path = 9;
    document_.files.push_back(
        {{number, path, line.size() - 1}, line.substr(path, line.size() - path - 1), 0});
    return true;
  }
  // Sources may hold anything.
  if (part_ == Part::source) return true;
  if (line == "Index by function name") return begin(Part::index);
  if (line.starts_with(" time ") && line.ends_with("name    ")) return begin(Part::flat);
  if (line.starts_with("index % time ")) return begin(Part::graph);
  if (line.starts_with("index  %time ")) {
    traditional_ = true;
    return begin(Part::graph);
  }
  return false;
}

void Parser::take_flat(std::uint32_t number, std::string_view line) {
  if (line.empty()) {
    end_part(number);
    part_ = Part::explanation;
    part_begin_ = number + 1;
  } else if (const auto row = parse_flat_row(line)) {
    add_name(number, *row);
  }
}

void Parser::take_graph(std::uint32_t number, std::string_view line) {
  if (line.starts_with("-----")) {
    if (entry_begin_) fold(*entry_begin_, number, false);
    entry_begin_.reset();
    return;
  }
  if (line.empty()) {
    if (traditional_ || entry_begin_) return;
    part_ = Part::explanation;
    part_begin_ = number + 1;
    return;
  }
  const auto row = parse_graph_row(line);
  if (!row) return;
  if (!entry_begin_) entry_begin_ = number;
  if (row->primary != 0) document_.entries[row->primary] = number;
  add_name(number, *row);
}

void Parser::add_name(std::uint32_t number, const ReportRow& row) {
  const RowName& name = row.name;
  if (name.entry != 0 && row.primary == 0) {
    document_.references.push_back({{number, name.entry_begin, name.entry_end}, name.entry});
  }
  if (name.is_cycle || name.name.empty()) return;
  document_.names.push_back({{number, name.begin, name.begin + name.name.size()},
                             name.name,
                             name.entry,
                             name.note,
                             name.address,
                             row.calls});
}

void Parser::take_index(std::uint32_t number, std::string_view line) {
  for (auto cell = next_index_cell(line, 0); cell; cell = next_index_cell(line, cell->end)) {
    document_.references.push_back({{number, cell->entry_begin, cell->entry_end}, cell->entry});
    ReportName name;
    name.name = line.substr(cell->begin, cell->end - cell->begin);
    name.span = {number, cell->begin, cell->end};
    name.entry = cell->entry;
    if (name.name.starts_with("<cycle ")) continue;
    // For static functions, the file; else these are parameters, as the symbols will show.
    if (const std::size_t open = name.name.rfind(" ("); name.name.ends_with(')') && open + 1 != 0) {
      name.note = name.name.substr(open + 2, name.name.size() - open - 3);
    }
    document_.names.push_back(name);
  }
}

void Parser::take_executions(std::uint32_t number, std::string_view line) {
  const auto row = parse_executions_row(line);
  if (!row) return;
  const std::size_t place_end = row->name_begin - 3;
  if (row->line != 0) document_.files.push_back({{number, 0, place_end}, row->path, row->line});
  ReportName name;
  name.span = {number, row->name_begin, row->name_begin + row->name.size()};
  name.name = row->name;
  name.address = row->address;
  document_.names.push_back(name);
}

void Parser::take_linkage_name(std::uint32_t number, std::string_view line) {
  if (line.empty()) return;
  ReportName name;
  name.span = {number, 0, line.size()};
  name.name = line;
  document_.names.push_back(name);
}

void Parser::end_part(std::uint32_t next) {
  if (part_ == Part::explanation) fold(part_begin_, next, true);
  if (part_ == Part::source) fold(part_begin_, next, false);
  part_ = Part::none;
  entry_begin_.reset();
}

void Parser::end_section(std::uint32_t next) {
  const std::size_t before = document_.folds.size();
  fold(section_begin_, next, false);
  if (document_.folds.size() == before) return;
  section_folds_.push_back(document_.folds.back());
  document_.folds.pop_back();
}

// The lines from `first` to before `next`, without blank ones at either end.
void Parser::fold(std::uint32_t first, std::uint32_t next, bool explanation) {
  while (first < next && is_blank(first)) ++first;
  while (next > first && is_blank(next - 1)) --next;
  if (next >= first + 2) document_.folds.push_back({first, next - 1, explanation});
}

bool Parser::is_blank(std::uint32_t number) const {
  const std::string_view line = lines_.line(text_, number);
  return line.find_first_not_of(" \t\f") == std::string_view::npos;
}

}  // namespace

ReportDocument parse_report(std::string_view text, const LineTable& lines, ReportPage page) {
  return Parser(text, lines, page).parse();
}

}  // namespace gprof::lsp
