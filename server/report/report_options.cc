#include "server/report/report_options.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <getopt.h>

#include "server/report/argument_files.h"
#include "server/report/report_help.h"

namespace gprof::lsp {
namespace {

// An option that names a report and, by its argument, the symbols of it.
struct StyleOption {
  char letter;
  ReportKind kind;
  SymspecList list;
  bool suppresses;  // the report, where there is no argument
};
constexpr StyleOption style_options[] = {
    {'A', ReportKind::annotated_source, SymspecList::include_annotation, false},
    {'J', ReportKind::annotated_source, SymspecList::exclude_annotation, true},
    {'C', ReportKind::execution_counts, SymspecList::include_executions, false},
    {'Z', ReportKind::execution_counts, SymspecList::exclude_executions, true},
    {'p', ReportKind::flat_profile, SymspecList::include_flat, false},
    {'P', ReportKind::flat_profile, SymspecList::exclude_flat, true},
    {'q', ReportKind::call_graph, SymspecList::include_graph, false},
    {'Q', ReportKind::call_graph, SymspecList::exclude_graph, true},
};

// An option that fills lists of symbols and names no report.
struct ListOption {
  char letter;
  SymspecList first;
  SymspecList second;  // the same again: there is one list only
};
constexpr ListOption list_options[] = {
    {'e', SymspecList::exclude_graph, SymspecList::exclude_graph},
    {'E', SymspecList::exclude_time, SymspecList::exclude_graph},
    {'f', SymspecList::include_graph, SymspecList::include_graph},
    {'F', SymspecList::include_time, SymspecList::include_graph},
    {'k', SymspecList::exclude_arcs, SymspecList::exclude_arcs},
    {'n', SymspecList::include_time, SymspecList::include_time},
    {'N', SymspecList::exclude_time, SymspecList::exclude_time},
};

struct FlagOption {
  int code;
  bool ReportRequest::*flag;
};
constexpr FlagOption flag_options[] = {
    {'a', &ReportRequest::ignore_static},
    {'b', &ReportRequest::brief},
    {'c', &ReportRequest::static_calls},
    {'D', &ReportRequest::ignore_non_functions},
    {'i', &ReportRequest::file_information},
    {'l', &ReportRequest::by_line},
    {'L', &ReportRequest::full_paths},
    {'T', &ReportRequest::traditional},
    {'x', &ReportRequest::every_line},
    {'y', &ReportRequest::separate_files},
    {'z', &ReportRequest::show_unused},
    {option_inline_file_names, &ReportRequest::inline_file_names},
    {option_accurate, &ReportRequest::accurate},
    {option_error, &ReportRequest::show_errors},
};

template <typename Option>
const Option* find_option(std::span<const Option> options, int Option::*member, int code) {
  const auto found = std::ranges::find(options, code, member);
  return found == options.end() ? nullptr : &*found;
}

template <typename Option>
const Option* find_letter(std::span<const Option> options, int code) {
  const auto found =
      std::ranges::find_if(options, [code](const Option& option) { return option.letter == code; });
  return found == options.end() ? nullptr : &*found;
}

// GNU gprof's numbers are the C library's: blanks and a sign may stand before the digits, anything
// behind them, and no digits are 0. What exceeds an int loses its upper half.
int leading_integer(const char* text) {
  // NOLINTNEXTLINE(cert-err34-c): that nothing is refused is what is wanted
  return static_cast<int>(std::strtol(text, nullptr, 10));
}

std::optional<DemangleStyle> demangle_style(std::string_view name) {
  constexpr std::pair<std::string_view, DemangleStyle> styles[] = {
      {"none", DemangleStyle::none},     {"auto", DemangleStyle::automatic},
      {"gnu-v3", DemangleStyle::gnu_v3}, {"java", DemangleStyle::java},
      {"gnat", DemangleStyle::gnat},     {"dlang", DemangleStyle::dlang},
      {"rust", DemangleStyle::rust},
  };
  for (const auto& [known, style] : styles) {
    if (known == name) return style;
  }
  return std::nullopt;
}

// The table in the shape that getopt wants.
struct GetoptTables {
  std::string letters = ":";  // ':' first: a missing argument is told from an unknown option
  std::vector<std::string> names;
  std::vector<option> long_options;
};

GetoptTables make_getopt_tables() {
  GetoptTables tables;
  const auto options = report_option_table();
  tables.names.reserve(options.size());  // long_options point into it
  for (const OptionDescription& description : options) {
    if (description.has_letter()) {
      tables.letters += static_cast<char>(description.code);
      if (description.argument != ArgumentKind::none) tables.letters += ':';
      if (description.argument == ArgumentKind::optional) tables.letters += ':';
    }
    if (description.name.empty()) continue;
    const int kind = description.argument == ArgumentKind::none       ? no_argument
                     : description.argument == ArgumentKind::optional ? optional_argument
                                                                      : required_argument;
    tables.names.emplace_back(description.name);
    tables.long_options.push_back({tables.names.back().c_str(), kind, nullptr, description.code});
  }
  tables.long_options.push_back({nullptr, 0, nullptr, 0});
  return tables;
}

std::string spelled(const OptionDescription& description) {
  if (description.name.empty()) return fmt::format("-{}", static_cast<char>(description.code));
  if (!description.has_letter()) return fmt::format("--{}", description.name);
  return fmt::format("-{}/--{}", static_cast<char>(description.code), description.name);
}

// Of a word that begins like several long options, or like none.
std::string unknown_name(std::string_view word) {
  word = word.substr(0, word.find('='));
  std::string candidates;
  for (const OptionDescription& description : report_option_table()) {
    if (word == "--" || description.name.empty()) continue;
    if (!description.name.starts_with(word.substr(2))) continue;
    candidates += fmt::format("{}--{}", candidates.empty() ? "" : ", ", description.name);
  }
  if (candidates.empty()) return fmt::format("{} is no option; --help lists them", word);
  return fmt::format("{} may mean {}; write more of it", word, candidates);
}

class Reader {
 public:
  explicit Reader(std::vector<std::string> words) : words_(std::move(words)) {}

  ReportCommandLine read();

 private:
  ReportRequest& request() { return options_.request; }
  void fail(std::string message) { stop_ = UsageError{std::move(message)}; }

  std::string misuse(int result, const std::vector<char*>& arguments) const;
  void take(int code, const char* argument);
  void take_style(const StyleOption& option, const char* argument);
  bool take_text(int code, const char* argument);
  void take_number(int code, const char* argument);
  void take_special(int code, const char* argument);
  void take_format(std::string_view name);
  void take_demangle(const char* style);
  void take_color(const char* when);
  void take_operands(std::span<char* const> operands);
  void add_symspec(SymspecList list, std::string_view text);
  void finish();

  std::vector<std::string> words_;
  ReportOptions options_;
  // Why reading ends before the last word.
  std::optional<ReportCommandLine> stop_;
  bool demangle_ = true;
  // Stays when --no-demangle and --demangle switch it off and on again.
  DemangleStyle style_ = DemangleStyle::automatic;
  bool prof_format_ = false;
};

ReportCommandLine Reader::read() {
  const GetoptTables tables = make_getopt_tables();
  std::string program = "gprof-lsp report";
  std::vector<char*> arguments{program.data()};
  for (std::string& word : words_) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int count = static_cast<int>(arguments.size()) - 1;
  opterr = 0;
  optind = 0;  // glibc: begin anew
  while (!stop_) {
    const int code = getopt_long(count, arguments.data(), tables.letters.c_str(),
                                 tables.long_options.data(), nullptr);
    if (code == -1) break;
    if (code == '?' || code == ':') {
      fail(misuse(code, arguments));
    } else {
      take(code, optarg);
    }
  }
  if (!stop_) {
    take_operands(std::span(arguments).subspan(static_cast<std::size_t>(optind),
                                               static_cast<std::size_t>(count - optind)));
    finish();
  }
  return stop_ ? std::move(*stop_) : ReportCommandLine(std::move(options_));
}

std::string Reader::misuse(int result, const std::vector<char*>& arguments) const {
  const OptionDescription* description = find_report_option(optopt);
  if (optopt == 0) return unknown_name(arguments[static_cast<std::size_t>(optind) - 1]);
  if (description == nullptr) {
    return fmt::format("-{} is no option; --help lists them", static_cast<char>(optopt));
  }
  if (result == '?') return fmt::format("--{} takes no argument", description->name);
  return fmt::format("{} needs an argument: {}", spelled(*description), description->argument_name);
}

void Reader::take(int code, const char* argument) {
  if (const auto* style = find_letter(std::span<const StyleOption>(style_options), code)) {
    return take_style(*style, argument);
  }
  if (const auto* list = find_letter(std::span<const ListOption>(list_options), code)) {
    add_symspec(list->first, argument);
    if (list->second != list->first) add_symspec(list->second, argument);
    return;
  }
  if (const auto* flag =
          find_option(std::span<const FlagOption>(flag_options), &FlagOption::code, code)) {
    request().*(flag->flag) = true;
    return;
  }
  if (!take_text(code, argument)) take_special(code, argument);
}

// Without an argument it speaks of the whole report; with one, the report is wanted in any case.
void Reader::take_style(const StyleOption& option, const char* argument) {
  request().named.insert(option.kind);
  if (argument == nullptr) {
    if (option.suppresses) return request().kinds.erase(option.kind);
    return request().kinds.insert(option.kind);
  }
  request().kinds.insert(option.kind);
  const bool is_arc = option.kind == ReportKind::call_graph &&
                      std::string_view(argument).find('/') != std::string_view::npos;
  const SymspecList arcs =
      option.suppresses ? SymspecList::exclude_arcs : SymspecList::include_arcs;
  add_symspec(is_arc ? arcs : option.list, argument);
}

void Reader::add_symspec(SymspecList list, std::string_view text) {
  // Where no arcs are meant, GNU gprof takes FROM of FROM/TO.
  const bool is_arc = list == SymspecList::include_arcs || list == SymspecList::exclude_arcs;
  if (!is_arc) text = text.substr(0, text.find('/'));
  request().symspecs.push_back({list, std::string(text)});
}

bool Reader::take_text(int code, const char* argument) {
  switch (code) {
    case 'I':
      for (std::string& directory : split_directories(argument)) {
        request().source_directories.push_back(std::move(directory));
      }
      return true;
    case 'R':
      request().kinds.insert(ReportKind::file_ordering);
      request().named.insert(ReportKind::file_ordering);
      request().function_map = argument;
      if (request().function_map.empty()) fail("-R/--file-ordering needs the path of a map file");
      return true;
    case 'S':
      request().external_symbols = argument;
      if (request().external_symbols.empty()) {
        fail("-S/--external-symbol-table needs the path of a symbol list");
      }
      return true;
    case 'O':
      take_format(argument);
      return true;
    default:
      return false;
  }
}

void Reader::take_format(std::string_view name) {
  prof_format_ = name.starts_with('p');
  if (name.starts_with('a')) {
    request().format = GmonFormatChoice::automatic;
  } else if (name.starts_with('m')) {
    request().format = GmonFormatChoice::gnu;
  } else if (name.starts_with('b')) {
    request().format = GmonFormatChoice::bsd;
  } else if (name.starts_with('4')) {
    request().format = GmonFormatChoice::bsd44;
  } else if (!prof_format_) {
    fail(fmt::format("-O/--file-format: {} is no format; expected auto, bsd, 4.4bsd or magic",
                     name.empty() ? "an empty word" : name));
  }
}

void Reader::take_special(int code, const char* argument) {
  switch (code) {
    case 'B':
      request().kinds.insert(ReportKind::call_graph);
      return request().named.insert(ReportKind::call_graph);
    case 'r':
      request().kinds.insert(ReportKind::function_ordering);
      return request().named.insert(ReportKind::function_ordering);
    case 's':
      // GNU gprof sums arcs between lines, and prints whatever else is wanted line by line.
      request().by_line = true;
      request().kinds.insert(ReportKind::summary_file);
      return request().named.insert(ReportKind::summary_file);
    case 'h':
      stop_ = HelpRequest{};
      return;
    case 'v':
      stop_ = VersionRequest{};
      return;
    case option_demangle:
      return take_demangle(argument);
    case option_no_demangle:
      demangle_ = false;
      return;
    case option_color:
      return take_color(argument);
    case option_no_pager:
      options_.pager = false;
      return;
    default:
      return take_number(code, argument);
  }
}

void Reader::take_number(int code, const char* argument) {
  if (code == 'm') {
    request().minimum_count = std::strtoul(argument, nullptr, 10);
  } else if (code == 't') {
    request().table_length = std::max(0, leading_integer(argument));
  } else if (code == 'w') {
    request().index_width = std::max(1, leading_integer(argument));
  } else {
    constexpr std::uint32_t all_topics = ~std::uint32_t{0};
    request().debug_topics |=
        argument == nullptr ? all_topics : static_cast<std::uint32_t>(leading_integer(argument));
  }
}

void Reader::take_demangle(const char* style) {
  demangle_ = true;
  if (style == nullptr) return;
  const auto known = demangle_style(style);
  if (!known) {
    return fail(
        fmt::format("--demangle: {} is no style; expected auto, gnu-v3, java, gnat, dlang, "
                    "rust or none",
                    *style == '\0' ? "an empty word" : style));
  }
  style_ = *known;
}

void Reader::take_color(const char* when) {
  const std::string_view choice = when == nullptr ? "always" : when;
  if (choice == "auto") {
    options_.color = ColorChoice::automatic;
  } else if (choice == "always") {
    options_.color = ColorChoice::always;
  } else if (choice == "never") {
    options_.color = ColorChoice::never;
  } else {
    fail(fmt::format("--color: expected auto, always or never, not {}",
                     choice.empty() ? "an empty word" : choice));
  }
}

void Reader::take_operands(std::span<char* const> operands) {
  if (operands.empty()) return;
  request().executable = operands.front();
  if (operands.size() == 1) return;
  request().profiles.assign(operands.begin() + 1, operands.end());
  options_.profiles_named = true;
  if (std::ranges::count(request().profiles, "-") > 1) {
    fail("-: standard input can be read once only; name it once");
  }
}

// What depends on all of the line.
void Reader::finish() {
  if (stop_) return;
  if (prof_format_) {
    return fail(
        "-O/--file-format: profiles of prof cannot be read; expected auto, bsd, 4.4bsd or "
        "magic");
  }
  if (request().kinds.contains(ReportKind::function_ordering) &&
      request().kinds.contains(ReportKind::file_ordering)) {
    return fail("-r/--function-ordering and -R/--file-ordering exclude each other; give one");
  }
  // The traditional layout knows linkage names only.
  request().demangle.reset();
  if (demangle_ && !request().traditional) request().demangle = style_;
}

}  // namespace

std::vector<std::string> split_directories(std::string_view text) {
  std::vector<std::string> directories;
  for (;;) {
    const std::size_t colon = text.find(':');
    directories.emplace_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return directories;
    text.remove_prefix(colon + 1);
  }
}

ReportCommandLine parse_report_options(std::span<const std::string_view> words) {
  auto expanded = expand_files(words);
  if (!expanded) return UsageError{expanded.error().message};
  return Reader(std::move(*expanded)).read();
}

}  // namespace gprof::lsp
