#include "server/diff/diff_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

constexpr std::string_view usage =
    "gprof-lsp diff [OPTION]... OLD-EXE OLD-GMON... -- NEW-EXE NEW-GMON...";

constexpr std::array<std::string_view, 7> options_with_value = {
    "--format", "--metric", "--output", "--fail-over", "--limit", "--old-source", "--source-root"};

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class Parser {
 public:
  explicit Parser(std::span<const std::string_view> words) : words_(words) {}

  DiffCommandLine parse();

 private:
  void take(std::string_view word);
  void take_flag(std::string_view name);
  void take_value(std::string_view name, std::string_view value);
  void take_percent(std::string_view value);
  void fail(std::string message) { stop_ = UsageError{std::move(message)}; }
  void fill(DiffSide& side, std::span<const std::string_view> words, std::string_view which);

  std::span<const std::string_view> words_;
  std::size_t next_ = 0;
  DiffOptions options_;
  std::vector<std::string_view> old_words_;
  std::optional<DiffCommandLine> stop_;
};

DiffCommandLine Parser::parse() {
  bool parted = false;
  while (next_ < words_.size() && !stop_ && !parted) {
    const std::string_view word = words_[next_++];
    if (word == "--") {
      parted = true;
    } else if (word.size() > 1 && word.front() == '-') {
      take(word);
    } else {
      old_words_.push_back(word);
    }
  }
  if (stop_) return *std::move(stop_);
  if (!parted) {
    return UsageError{fmt::format("-- between the old and the new side is missing: {}", usage)};
  }
  fill(options_.before, old_words_, "old");
  if (!stop_) fill(options_.after, words_.subspan(next_), "new");
  if (stop_) return *std::move(stop_);
  return std::move(options_);
}

void Parser::fill(DiffSide& side, std::span<const std::string_view> words, std::string_view which) {
  if (std::find(words.begin(), words.end(), "") != words.end()) {
    return fail(fmt::format("the {} side holds a file without a name", which));
  }
  if (words.empty()) {
    return fail(fmt::format("the {} side's executable is missing: {}", which, usage));
  }
  if (words.size() == 1) {
    return fail(fmt::format("a profile of {} is missing: {}", words.front(), usage));
  }
  side.executable = words.front();
  side.profiles.assign(words.begin() + 1, words.end());
}

void Parser::take(std::string_view word) {
  if (word == "-o") word = "--output";
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  const bool wants_value = std::find(options_with_value.begin(), options_with_value.end(), name) !=
                           options_with_value.end();
  if (!wants_value) {
    if (has_value) return fail(fmt::format("{} takes no value, or is no option", name));
    return take_flag(name);
  }
  if (has_value) return take_value(name, word.substr(equals + 1));
  if (next_ < words_.size() && words_[next_] != "--") return take_value(name, words_[next_++]);
  fail(fmt::format("{} needs a value", name));
}

void Parser::take_flag(std::string_view name) {
  if (name == "-h" || name == "--help") {
    stop_ = HelpRequest{};
  } else if (name == "--json") {
    options_.format = DiffFormat::json;
  } else if (name == "--lines") {
    options_.lines = true;
  } else if (name == "--notes") {
    options_.notes = true;
  } else {
    fail(fmt::format("{} is no option; --help lists them", name));
  }
}

void Parser::take_percent(std::string_view value) {
  if (value.ends_with('%')) value.remove_suffix(1);
  options_.fail_over = parse_number<double>(value);
  if (!options_.fail_over || !(*options_.fail_over >= 0) || *options_.fail_over > 1e9) {
    fail(fmt::format("--fail-over={}: expected a percentage, 0 or more", value));
  }
}

void Parser::take_value(std::string_view name, std::string_view value) {
  if (value.empty()) return fail(fmt::format("{} needs a value", name));
  if (name == "--format") {
    if (value != "text" && value != "json" && value != "sarif") {
      return fail(fmt::format("--format={}: expected text, json or sarif", value));
    }
    options_.format = value == "text"   ? DiffFormat::text
                      : value == "json" ? DiffFormat::json
                                        : DiffFormat::sarif;
  } else if (name == "--metric") {
    if (value != "self" && value != "total" && value != "calls") {
      return fail(fmt::format("--metric={}: expected self, total or calls", value));
    }
    options_.metric = value == "self"    ? ComparisonMetric::self
                      : value == "total" ? ComparisonMetric::total
                                         : ComparisonMetric::calls;
  } else if (name == "--output") {
    options_.output = value;
  } else if (name == "--fail-over") {
    take_percent(value);
  } else if (name == "--limit") {
    const auto limit = parse_number<std::size_t>(value);
    if (!limit) return fail(fmt::format("--limit={}: expected a number; 0 shows all", value));
    options_.limit = *limit;
  } else if (name == "--old-source") {
    options_.old_source = value;
  } else {
    options_.source_root = value;
  }
}

}  // namespace

DiffCommandLine parse_diff_options(std::span<const std::string_view> words) {
  return Parser(words).parse();
}

std::string_view diff_help_text() {
  return R"(gprof-lsp diff says what got slower between two builds, and what is noise.

Usage: gprof-lsp diff [OPTION]... OLD-EXE OLD-GMON... -- NEW-EXE NEW-GMON...

Each profile is a run of the executable before it. Several runs a side tell how much runs vary;
gprof-lsp record --runs=N makes them.

  --metric=self|total|calls
                     what is ranked and judged (default: self)
  --format=text|json|sarif
                     (default: text); --json is short for --format=json
  -o, --output=FILE  write there instead of standard output
  --limit=N          rows of the text (default: 20); 0: all
  --fail-over=PERCENT
                     exit with 1 if the program, or one function, regressed significantly by
                     more than PERCENT of the program's time before (with --metric=calls: of
                     all calls before)
  --lines            compare lines as well, where both source texts are known
  --old-source=DIR   where the old build's sources are, for --lines
  --source-root=DIR  the directory that SARIF's paths are relative to, and where the new
                     build's sources are looked for (default: the current one)
  --notes            SARIF: improvements and new functions as notes
  -h, --help         print this text

Exit status: 0, also where something regressed; 1 as --fail-over says; 2 if the command line is
wrong or something could not be read, compared or written.
)";
}

}  // namespace gprof::lsp
