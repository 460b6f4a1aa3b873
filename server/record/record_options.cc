#include "server/record/record_options.h"

#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

std::optional<std::uint32_t> number_between(std::string_view text, std::uint32_t low,
                                            std::uint32_t high) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (number < low || number > high) return std::nullopt;
  return number;
}

// Options end where the program begins: its own are none of ours.
class Parser {
 public:
  explicit Parser(std::span<const std::string_view> words) : words_(words) {}

  RecordCommandLine parse();

 private:
  void take(std::string_view word);
  void take_value(std::string_view name, std::string_view value);
  void fail(std::string message) { stop_ = UsageError{std::move(message)}; }

  std::span<const std::string_view> words_;
  std::size_t next_ = 0;
  RecordOptions options_;
  // Why reading ends before the program.
  std::optional<RecordCommandLine> stop_;
};

RecordCommandLine Parser::parse() {
  while (next_ < words_.size() && !stop_) {
    const std::string_view word = words_[next_];
    if (word == "--") {
      ++next_;
      break;
    }
    if (!word.starts_with('-') || word == "-") break;
    ++next_;
    take(word);
  }
  if (stop_) return *std::move(stop_);
  for (const std::string_view word : words_.subspan(next_)) options_.command.emplace_back(word);
  if (options_.command.empty()) {
    return UsageError{
        "a program to run is missing: gprof-lsp record [OPTION]... -- PROGRAM [ARG]..."};
  }
  return std::move(options_);
}

void Parser::take(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  const bool flag = name == "--stacks" || name == "--live" || name == "--help" || name == "-h";
  if (flag && has_value) return fail(fmt::format("{} takes no value", name));
  if (name == "--help" || name == "-h") {
    stop_ = HelpRequest{};
  } else if (flag) {
    (name == "--stacks" ? options_.stacks : options_.live) = true;
  } else if (name != "--rate" && name != "--runs" && name != "--output") {
    fail(fmt::format("{} is no option; --help lists them", name));
  } else if (has_value) {
    take_value(name, word.substr(equals + 1));
  } else if (next_ < words_.size() && words_[next_] != "--") {
    take_value(name, words_[next_++]);
  } else {
    fail(fmt::format("{} needs a value", name));
  }
}

void Parser::take_value(std::string_view name, std::string_view value) {
  if (name == "--output") {
    if (value.empty()) return fail("--output needs the name of a directory");
    options_.output = value;
  } else if (name == "--rate") {
    options_.rate = number_between(value, 0, most_samples_a_second);
    if (!options_.rate) {
      fail(fmt::format("--rate={}: expected samples a second, from 0 (none) to {}", value,
                       most_samples_a_second));
    }
  } else {
    options_.runs = number_between(value, 1, most_runs);
    if (!options_.runs) {
      fail(fmt::format("--runs={}: expected a number from 1 to {}", value, most_runs));
    }
  }
}

}  // namespace

RecordCommandLine parse_record_options(std::span<const std::string_view> words) {
  return Parser(words).parse();
}

RecoverCommandLine parse_recover_options(std::span<const std::string_view> words) {
  RecoverOptions options;
  bool only_names = false;
  for (const std::string_view word : words) {
    if (!only_names && word == "--") {
      only_names = true;
    } else if (!only_names && (word == "--help" || word == "-h")) {
      return HelpRequest{};
    } else if (!only_names && word.starts_with('-') && word != "-") {
      return UsageError{fmt::format("{} is no option; --help lists them", word)};
    } else if (word.empty()) {
      return UsageError{"the name of a directory is empty"};
    } else {
      options.directories.emplace_back(word);
    }
  }
  if (options.directories.empty()) {
    return UsageError{"a directory is missing: gprof-lsp recover DIR..."};
  }
  return options;
}

std::string_view record_help_text() {
  return R"(gprof-lsp record runs a program and keeps its profile.

Usage: gprof-lsp record [OPTION]... [--] PROGRAM [ARG]...

PROGRAM is built with -pg. It runs with libgprof_runtime.so in front of the C library's own
collector, with the terminal, the signals and the exit status that it would have without.
The last line on standard error says where the profile is and how good it is.

  --output=DIR     where the profile goes; made where it is missing (default: the current
                   directory)
  --rate=HZ        samples a second of CPU time, up to 20000; 0: none (default: 1000 where
                   perf's clock is allowed, else 100)
  --stacks         keep the call stack of each sample
  --live           keep the counters readable in DIR/gmon.live.PID while the program runs
  --runs=N         run the program N times; each profile goes to DIR/run-1 and so on, their
                   sum to DIR/gmon.sum
  -h, --help       print this text

Exit status: that of the program; 127 if it is not found, 126 if it cannot be run, 125 if
gprof-lsp could not prepare its run, 2 for a wrong command line.
)";
}

std::string_view recover_help_text() {
  return R"(gprof-lsp recover turns what killed programs left into profiles.

Usage: gprof-lsp recover DIR...

Counters of a program that runs under libgprof_runtime.so are in the file gmon.live.PID. Each
one in DIR whose process has ended becomes gmon.out, or what the program would have called it,
and is removed. Those of running processes are left alone. A profile that is newer than what
is recovered is not replaced: the process number is added to the name instead.

  -h, --help       print this text

Exit status: 0 if there is nothing left to recover, 1 if something could not be recovered, 2
for a wrong command line.
)";
}

}  // namespace gprof::lsp
