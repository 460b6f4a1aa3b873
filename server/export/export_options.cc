#include "server/export/export_options.h"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

std::optional<double> share_of(std::string_view text) {
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(share >= 0 && share <= 1)) return std::nullopt;
  return share;
}

class Parser {
 public:
  explicit Parser(std::span<const std::string_view> words) : words_(words) {}

  ExportCommandLine parse();

 private:
  void take_option(std::string_view word);
  void take_value(std::string_view name, std::string_view value);
  void fail(std::string message) { stop_ = UsageError{std::move(message)}; }
  [[nodiscard]] ExportCommandLine finish();

  std::span<const std::string_view> words_;
  std::size_t next_ = 0;
  ExportOptions options_;
  bool has_format_ = false;
  bool has_table_ = false;
  std::vector<std::string> operands_;
  // Why reading ends before the last word.
  std::optional<ExportCommandLine> stop_;
};

ExportCommandLine Parser::parse() {
  bool only_operands = false;
  while (next_ < words_.size() && !stop_) {
    const std::string_view word = words_[next_++];
    if (!only_operands && word == "--") {
      only_operands = true;
    } else if (!only_operands && word.size() > 1 && word.front() == '-') {
      take_option(word);
    } else if (word.empty()) {
      fail("the name of a file is empty");
    } else {
      operands_.emplace_back(word);
    }
  }
  if (stop_) return *std::move(stop_);
  return finish();
}

void Parser::take_option(std::string_view word) {
  const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string_view::npos;
  const std::string_view name = word.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  const bool flag = name == "--no-demangle" || name == "--help" || name == "-h";
  if (flag && has_value) return fail(fmt::format("{} takes no value", name));
  if (name == "--help" || name == "-h") {
    stop_ = HelpRequest{};
  } else if (flag) {
    options_.request.demangle = false;
  } else if (name.starts_with("-o") && name.size() > 2) {
    take_value("--output", name.substr(2));
  } else if (name != "--format" && name != "--table" && name != "--threshold" &&
             name != "--output" && name != "-o") {
    fail(fmt::format("{} is no option; --help lists them", name));
  } else if (has_value) {
    take_value(name, word.substr(equals + 1));
  } else if (next_ < words_.size()) {
    take_value(name, words_[next_++]);
  } else {
    fail(fmt::format("{} needs a value", name));
  }
}

void Parser::take_value(std::string_view name, std::string_view value) {
  if (name == "--format") {
    const auto format = parse_export_format(value);
    if (!format) {
      return fail(fmt::format("--format={}: expected one of {}", value, export_format_names()));
    }
    options_.request.format = *format;
    has_format_ = true;
  } else if (name == "--table") {
    const auto table = parse_export_table(value);
    if (!table) return fail(fmt::format("--table={}: expected functions, arcs or lines", value));
    options_.request.table = *table;
    has_table_ = true;
  } else if (name == "--threshold") {
    options_.request.threshold = share_of(value);
    if (!options_.request.threshold) {
      fail(fmt::format("--threshold={}: expected a share from 0 to 1, as 0.005", value));
    }
  } else if (value.empty()) {
    fail(fmt::format("{} needs the name of a file", name));
  } else {
    options_.output = value == "-" ? "" : value;
  }
}

ExportCommandLine Parser::finish() {
  if (!has_format_) {
    return UsageError{
        fmt::format("a format is missing: --format=FORMAT with one of {}", export_format_names())};
  }
  if (has_table_ && options_.request.format != ExportFormat::csv) {
    return UsageError{"--table is for --format=csv; the other formats hold all that they can"};
  }
  if (operands_.empty()) {
    return UsageError{
        "an executable is missing: gprof-lsp export --format=FORMAT EXECUTABLE [GMON]..."};
  }
  options_.executable = std::move(operands_.front());
  options_.profiles.assign(operands_.begin() + 1, operands_.end());
  if (options_.profiles.empty()) options_.profiles = {"gmon.out"};
  return std::move(options_);
}

}  // namespace

ExportCommandLine parse_export_options(std::span<const std::string_view> words) {
  return Parser(words).parse();
}

std::string_view export_help_text() {
  return R"(gprof-lsp export writes a profile in a format that other tools open.

Usage: gprof-lsp export --format=FORMAT [OPTION]... EXECUTABLE [GMON]...

Several profiles are added up; without one, gmon.out is taken.

  --format=callgrind   for callgrind_annotate and KCachegrind: lines, calls
  --format=csv         a table: see --table
  --format=dot         the hot part of the call graph, for Graphviz
  --format=folded      folded stacks, for flame graph scripts
  --format=json        all tables, for programs of your own
  --format=pprof       for pprof (compressed)
  --format=speedscope  for https://www.speedscope.app

  --table=TABLE        of csv: functions (the default), arcs or lines
  --threshold=SHARE    leave out what takes less than this share of the whole, from 0 to 1:
                       of dot (default: 0.005) and of estimated stacks (default: 0.0001)
  --no-demangle        linkage names instead of what was written
  -o, --output=FILE    write to FILE, which appears when it is whole (default: standard output)
  -h, --help           print this text

Times of callers are measured where the profile has stacks (gprof-lsp record --stacks), and
gprof's estimate elsewhere; each export says which.

Exit status: 0 for success, 1 if something could not be read or written, 2 for a wrong command
line.
)";
}

}  // namespace gprof::lsp
