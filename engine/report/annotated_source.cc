#include "engine/report/annotated_source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/report/layout.h"
#include "engine/report/source_lookup.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// A source line that has code.
struct AnnotatedLine {
  LineNumber line = 0;
  SymbolIndex symbol = 0;   // the line's first; only its blocks are shown
  std::uint64_t calls = 0;  // of all of them
  bool one_stretch = true;  // the line has only one symbol
};

// What is known about a source file.
struct SourceCounts {
  std::vector<AnnotatedLine> lines;  // ascending, each once
  std::uint64_t calls = 0;
};

std::vector<SourceCounts> count_sources(const ReportData& data) {
  std::vector<SourceCounts> sources(data.symbols.files().size());
  for (SymbolIndex index = 0; index < data.symbols.size(); ++index) {
    const SourceSymbol& symbol = data.symbols[index];
    if (symbol.file == no_source_file || symbol.line == 0) continue;
    if (!data.selected.chosen(SymspecList::include_annotation, SymspecList::exclude_annotation,
                              symbol.address)) {
      continue;
    }
    SourceCounts& source = sources[symbol.file];
    const std::uint64_t calls = data.graph.node(index).calls;
    source.lines.push_back({symbol.line, index, calls});
    source.calls = saturating_add(source.calls, calls);
  }
  for (SourceCounts& source : sources) {
    std::ranges::stable_sort(source.lines, {}, &AnnotatedLine::line);
    std::vector<AnnotatedLine> merged;
    for (const AnnotatedLine& line : source.lines) {
      if (merged.empty() || merged.back().line != line.line) {
        merged.push_back(line);
      } else {
        merged.back().calls = saturating_add(merged.back().calls, line.calls);
        merged.back().one_stretch = false;
      }
    }
    source.lines = std::move(merged);
  }
  return sources;
}

// Writes one source file with its counts. `last_count` is the count of the block that the code
// before a line belongs to; as in gprof, it carries over to the next file.
class SourceAnnotator {
 public:
  SourceAnnotator(const ReportData& data, const ReportRequest& request, const SourceCounts& counts,
                  std::uint64_t& last_count, TextOutput& text)
      : data_(data), request_(request), counts_(counts), text_(text), last_count_(last_count) {}

  void write(std::string_view source) {
    append_source(source);
    append_top_lines();
    append_summary();
  }

 private:
  void append_source(std::string_view source);
  void append_margin(const AnnotatedLine& line);
  [[nodiscard]] std::vector<std::uint64_t> counts_of(const AnnotatedLine& line);
  void append_top_lines();
  void append_summary();

  static constexpr std::size_t margin_width = 16;

  const ReportData& data_;
  const ReportRequest& request_;
  const SourceCounts& counts_;
  TextOutput& text_;
  std::uint64_t& last_count_;
  std::uint64_t executable_ = 0;
  std::uint64_t executed_ = 0;
};

void SourceAnnotator::append_source(std::string_view source) {
  auto next = counts_.lines.begin();
  LineNumber number = 0;
  while (!source.empty()) {
    ++number;
    if (next != counts_.lines.end() && next->line == number) {
      append_margin(*next++);
    } else {
      text_.append_blanks(margin_width);
    }
    const std::size_t newline = source.find('\n');
    const std::size_t size = newline == std::string_view::npos ? source.size() : newline + 1;
    text_ += source.substr(0, size);
    source.remove_prefix(size);
  }
}

// Calls, then blocks. With -x, a line that does not start with a block continues the last one, and
// a count is not repeated. gprof never treats a line with several ranges as starting with one.
std::vector<std::uint64_t> SourceAnnotator::counts_of(const AnnotatedLine& line) {
  const SourceSymbol& symbol = data_.symbols[line.symbol];
  const auto blocks = data_.blocks.of(line.symbol);
  const bool begins_with_block =
      line.one_stretch && !blocks.empty() && blocks.front().address == symbol.address;
  std::vector<std::uint64_t> counts;
  const auto add = [&](std::uint64_t count) {
    if (request_.every_line && !counts.empty() && counts.back() == count) return;
    counts.push_back(count);
  };
  if (symbol.is_function) {
    add(line.calls);
  } else if (request_.every_line && !begins_with_block) {
    add(last_count_);
  }
  for (const BlockCount& block : blocks) add(block.count);
  if (!counts.empty()) last_count_ = counts.back();
  return counts;
}

void SourceAnnotator::append_margin(const AnnotatedLine& line) {
  ++executable_;
  const std::vector<std::uint64_t> counts = counts_of(line);
  if (counts.empty()) return text_.append_blanks(margin_width);
  ++executed_;
  std::string margin = counts.size() == 1 && counts.front() < request_.minimum_count
                           ? "#####"
                           : fmt::format("{}", fmt::join(counts, ","));
  margin += " -> ";
  text_ += right_aligned(margin, margin_width);
}

void SourceAnnotator::append_top_lines() {
  if (request_.table_length <= 0) return;
  std::vector<AnnotatedLine> top;
  for (const AnnotatedLine& line : counts_.lines) {
    if (line.calls != 0) top.push_back(line);
  }
  std::ranges::stable_sort(top, std::ranges::greater{}, &AnnotatedLine::calls);
  top.resize(std::min(top.size(), static_cast<std::size_t>(request_.table_length)));
  text_ += "\n\n";
  text_.append(RangeKind::heading, fmt::format("Top {} Lines:", request_.table_length));
  text_ += "\n\n";
  append_column_line(text_, "     Line      Count");
  text_ += '\n';
  for (const AnnotatedLine& line : top) append(text_, "{:9} {:10}\n", line.line, line.calls);
}

void SourceAnnotator::append_summary() {
  const auto calls = static_cast<double>(counts_.calls);
  const auto executable = static_cast<double>(executable_);
  const double percent = executable_ == 0 ? 100 : 100 * static_cast<double>(executed_) / executable;
  const double average = executable_ == 0 ? 0 : calls / executable;
  text_ += '\n';
  text_.append(RangeKind::heading, "Execution Summary:");
  append(text_,
         "\n\n"
         "{:9}   Executable lines in this file\n"
         "{:9}   Lines executed\n"
         "{:9.2f}   Percent of the file executed\n\n"
         "{:9}   Total number of line executions\n"
         "{:9.2f}   Average executions per line\n",
         executable_, executed_, percent, counts_.calls, average);
}

// "*** File PATH:"
void append_source_heading(TextOutput& text, const SourceSymbolTable& symbols, FileIndex file) {
  {
    const TextOutput::Mark heading(text, RangeKind::heading);
    text += "*** File ";
    text.append(RangeKind::file, symbols.path(file), file);
    text += ':';
  }
  text += '\n';
}

}  // namespace

void append_annotated_sources(const ReportData& data, const ReportRequest& request,
                              bool first_section, TextOutput& text, PrintedBeside& beside) {
  const std::vector<SourceCounts> sources = count_sources(data);
  std::string_view separator = first_section ? "" : "\f\n";
  std::uint64_t last_count = 0;
  // gprof keeps its files newest first.
  for (std::size_t i = sources.size(); i-- > 0;) {
    const SourceCounts& counts = sources[i];
    if (counts.lines.empty() || (counts.calls == 0 && !request.show_unused)) continue;
    const auto file = static_cast<FileIndex>(i);
    const std::string path(data.symbols.path(file));
    auto source = read_source(path, request.source_directories, request.source_bounds);
    if (!source) {
      // GNU gprof has no equivalent: reports without bounds have no such sources.
      if (request.source_bounds && source.error().code == ErrorCode::unreadable) {
        text += separator;
        const TextOutput::Mark mark(text, RangeKind::source);
        append_source_heading(text, data.symbols, file);
        append(text, "\n(not shown: {})\n", source.error().message);
        separator = "\n\f\n";
      }
      beside.warnings.push_back(std::move(source).error());
      continue;
    }
    if (request.separate_files) {
      if (data.symbols.base_name(file).empty()) {
        beside.warnings.push_back(
            Error{ErrorCode::invalid_argument,
                  "the name of a source expected, that of a folder found; it is not annotated",
                  path, std::nullopt});
        continue;
      }
      ReportFile written{std::string(data.symbols.base_name(file)) + "-ann", {}};
      TextOutput annotated([&](std::string_view piece) {
        written.contents += piece;
        return true;
      });
      SourceAnnotator(data, request, counts, last_count, annotated).write(*source);
      annotated.flush();
      beside.files.push_back(std::move(written));
      continue;
    }
    text += separator;
    separator = "\n\f\n";
    const TextOutput::Mark mark(text, RangeKind::source);
    append_source_heading(text, data.symbols, file);
    SourceAnnotator(data, request, counts, last_count, text).write(*source);
  }
}

}  // namespace gprof
