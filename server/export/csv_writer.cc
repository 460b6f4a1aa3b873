#include "server/export/csv_writer.h"

#include <algorithm>
#include <array>

#include "server/export/export_lines.h"
#include "server/text/shown_text.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view line_end = "\r\n";

// Spreadsheets take a cell that begins with one of these for a formula: ASCII and full width.
constexpr std::array<std::string_view, 8> formula_marks = {"=",  "+",  "-",  "@",
                                                           "＝", "＋", "－", "＠"};

// 0 means not counted, and the cell is left empty.
std::string count_text(std::uint64_t count) { return count == 0 ? "" : fmt::format("{}", count); }

class CsvWriter {
 public:
  CsvWriter(const ExportTables& tables, FrameNames& names, ExportOutput& output)
      : tables_(tables),
        profile_(tables.snapshot().profile()),
        names_(names),
        output_(output),
        basis_(basis_name(tables.measured())) {}

  void write_functions();
  void write_arcs();
  void write_lines();

 private:
  void write_function(const ExportFunction& function);
  void write_arc(const ExportArc& arc);
  // "12.5,0.7": a time and its error.
  [[nodiscard]] std::string time(Ticks ticks, Ticks error) const {
    return fmt::format("{},{}", profile_.seconds(ticks), profile_.seconds(error));
  }
  [[nodiscard]] std::string name(std::uint32_t function) {
    return csv_cell(names_.with_module(tables_.functions()[function].frame));
  }
  [[nodiscard]] std::string line_place(FileId file, LineNumber line) {
    return fmt::format("{},{}", file == no_file ? "" : csv_cell(names_.path(file)),
                       line == 0 ? "" : fmt::format("{}", line));
  }

  const ExportTables& tables_;
  const FunctionCosts& profile_;
  FrameNames& names_;
  ExportOutput& output_;
  const std::string_view basis_;
};

void CsvWriter::write_functions() {
  names_.prepare(tables_.frames());
  for (const ExportFunction& function : tables_.functions()) {
    if (output_.failed()) return;
    write_function(function);
  }
}

void CsvWriter::write_function(const ExportFunction& function) {
  const auto& declared = names_.declaration(function.frame);
  output_.print("{},{},{},{},{},{},{},{},{}{}", csv_cell(names_.with_module(function.frame)),
                csv_cell(names_.linkage_name(function.frame)),
                declared ? line_place(declared->file, declared->line) : ",",
                count_text(function.calls), count_text(function.recursive_calls),
                time(function.self, function.self_error), time(function.total, function.error),
                basis_, function.cycle == 0 ? "" : fmt::format("{}", function.cycle), line_end);
}

void CsvWriter::write_arcs() {
  for (const std::uint32_t caller : tables_.by_address()) {
    for (const ExportArc& arc : tables_.arcs_of(caller)) write_arc(arc);
  }
}

void CsvWriter::write_arc(const ExportArc& arc) {
  for (const ExportCallSite& site : call_sites(tables_, arc)) {
    if (output_.failed()) return;
    output_.print("{},{},{},{},{},{},{}{}", name(arc.caller), name(arc.callee),
                  line_place(site.file, site.line), count_text(site.calls),
                  site.approximate ? "approximate" : "exact", time(site.ticks, site.error), basis_,
                  line_end);
  }
}

void CsvWriter::write_lines() {
  for (const std::uint32_t i : tables_.by_address()) {
    const ExportFunction& function = tables_.functions()[i];
    for (const ExportLine& line : function_lines(tables_.snapshot(), function.symbols)) {
      if (output_.failed()) return;
      output_.print("{},{},{},{}{}", name(i), line_place(line.file, line.line),
                    time(line.self, profile_.error_of(line.self)),
                    line.executions ? fmt::format("{}", *line.executions) : "", line_end);
    }
  }
}

}  // namespace

std::string csv_cell(std::string_view text) {
  std::string line = on_one_line(text);
  const bool is_formula = std::ranges::any_of(
      formula_marks, [&](std::string_view mark) { return line.starts_with(mark); });
  if (is_formula) line.insert(0, 1, '\'');
  if (line.find_first_of("\",") == std::string::npos) return line;
  std::string result = "\"";
  for (const char letter : line) {
    if (letter == '"') result += '"';
    result += letter;
  }
  return result + '"';
}

std::string_view csv_columns(ExportTable table) {
  switch (table) {
    case ExportTable::arcs:
      return "caller,callee,file,line,calls,place,time,time_error,basis";
    case ExportTable::lines:
      return "function,file,line,self,self_error,executions";
    case ExportTable::functions:
      break;
  }
  return "function,linkage_name,file,line,calls,recursive_calls,self,self_error,total,total_error,"
         "basis,cycle";
}

void write_csv(ExportTable table, const ExportTables& tables, FrameNames& names,
               ExportOutput& output) {
  output.print("{}{}", csv_columns(table), line_end);
  CsvWriter writer(tables, names, output);
  switch (table) {
    case ExportTable::functions:
      return writer.write_functions();
    case ExportTable::arcs:
      return writer.write_arcs();
    case ExportTable::lines:
      return writer.write_lines();
  }
}

}  // namespace gprof::lsp
