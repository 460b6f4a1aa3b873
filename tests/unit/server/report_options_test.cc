#include "server/cli/report/report_options.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/report/argument_files.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/unit/server/command_words.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

using ReportLine = ParsedLine<ReportOptions>;

ReportLine parse(const Words& words) {
  const auto expanded = expand_files(words);
  if (!expanded) return UsageError{expanded.error().message};
  return parse_line(report_syntax, Words(expanded->begin(), expanded->end()));
}

std::vector<OptionRow> report_rows() {
  ReportOptions options;
  std::vector<OptionRow> rows;
  for_each_option(report_syntax(options), [&](const OptionRow& row) { rows.push_back(row); });
  return rows;
}

ReportOptions options_of(const Words& words) { return options_in<ReportOptions>(parse(words)); }
ReportRequest request_of(const Words& words) { return options_of(words).request; }

std::string error_of(const Words& words) { return error_in<ReportOptions>(parse(words)); }

ReportKinds kinds_of(const std::vector<ReportKind>& kinds) {
  ReportKinds set;
  for (const ReportKind kind : kinds) set.insert(kind);
  return set;
}

// A file of arguments, deleted with the test.
class ArgumentFile {
 public:
  ArgumentFile(const std::string& name, const std::string& text) : path_(work_directory() / name) {
    std::filesystem::create_directories(path_.parent_path());
    write_file(path_, text);
  }
  ~ArgumentFile() { std::filesystem::remove(path_); }
  ArgumentFile(const ArgumentFile&) = delete;
  ArgumentFile& operator=(const ArgumentFile&) = delete;
  [[nodiscard]] std::string word() const { return "@" + path_.string(); }

 private:
  std::filesystem::path path_;
};

// As listed by GNU gprof's own messages.
constexpr std::string_view gnu_names[] = {
    "annotated-source",
    "all-lines",
    "brief",
    "demangle",
    "directory-path",
    "display-unused-functions",
    "debug",
    "external-symbol-table",
    "exec-counts",
    "flat-profile",
    "function-ordering",
    "file-ordering",
    "file-info",
    "file-format",
    "graph",
    "help",
    "ignore-non-functions",
    "inline-file-names",
    "line",
    "min-count",
    "no-static",
    "no-annotated-source",
    "no-flat-profile",
    "no-graph",
    "no-exec-counts",
    "no-demangle",
    "no-time",
    "print-path",
    "sum",
    "separate-files",
    "static-call-graph",
    "table-length",
    "time",
    "traditional",
    "version",
    "width",
};

using enum ReportKind;

}  // namespace

TEST_CASE("report options choose reports as GNU gprof's do") {
  struct Case {
    Words words;
    std::vector<ReportKind> kinds;
    std::vector<ReportKind> named;
  };
  const std::vector<Case> cases = {
      {{}, {}, {}},
      {{"-p"}, {flat_profile}, {flat_profile}},
      {{"-P"}, {}, {flat_profile}},
      {{"-Pf"}, {flat_profile}, {flat_profile}},
      {{"-p", "-P"}, {}, {flat_profile}},
      {{"-P", "-p"}, {flat_profile}, {flat_profile}},
      {{"-p", "-Pf"}, {flat_profile}, {flat_profile}},
      {{"-q", "-Q", "-p"}, {flat_profile}, {flat_profile, call_graph}},
      {{"-B"}, {call_graph}, {call_graph}},
      {{"-B", "-Q"}, {}, {call_graph}},
      {{"--graph="}, {call_graph}, {call_graph}},
      {{"--no-graph="}, {call_graph}, {call_graph}},
      {{"--no-graph"}, {}, {call_graph}},
      {{"-pq"}, {flat_profile}, {flat_profile}},
      {{"-bp"}, {flat_profile}, {flat_profile}},
      {{"-A", "-J"}, {}, {annotated_source}},
      {{"-Jf"}, {annotated_source}, {annotated_source}},
      {{"-C"}, {execution_counts}, {execution_counts}},
      {{"-Z"}, {}, {execution_counts}},
      {{"-Zf"}, {execution_counts}, {execution_counts}},
      {{"-r"}, {function_ordering}, {function_ordering}},
      {{"-R", "map"}, {file_ordering}, {file_ordering}},
      {{"-s"}, {summary_file}, {summary_file}},
      {{"-i", "-y", "-e", "f", "-k", "f/g", "-n", "f"}, {}, {}},
  };
  for (const Case& one : cases) {
    CAPTURE(one.words);
    const ReportRequest request = request_of(one.words);
    CHECK(request.kinds == kinds_of(one.kinds));
    CHECK(request.named == kinds_of(one.named));
  }
}

TEST_CASE("symspecs of report options go to their lists") {
  using enum SymspecList;
  using Choices = std::vector<SymspecChoice>;
  const std::vector<std::pair<Words, Choices>> cases = {
      {{"-pf"}, {{include_flat, "f"}}},
      {{"-p", "f"}, {}},
      {{"-Pf"}, {{exclude_flat, "f"}}},
      {{"-p"}, {}},
      {{"-qf"}, {{include_graph, "f"}}},
      {{"-Qf"}, {{exclude_graph, "f"}}},
      {{"-qf/g"}, {{include_arcs, "f/g"}}},
      {{"-Q/g"}, {{exclude_arcs, "/g"}}},
      {{"-k", "f/g"}, {{exclude_arcs, "f/g"}}},
      {{"-k", "f"}, {{exclude_arcs, "f"}}},
      {{"-pf/g"}, {{include_flat, "f"}}},
      {{"-n", "f/g"}, {{include_time, "f"}}},
      {{"--graph="}, {{include_graph, ""}}},
      {{"-A7"}, {{include_annotation, "7"}}},
      {{"-Ja.c:7"}, {{exclude_annotation, "a.c:7"}}},
      {{"-Cf"}, {{include_executions, "f"}}},
      {{"-Zf"}, {{exclude_executions, "f"}}},
      {{"-e", "f"}, {{exclude_graph, "f"}}},
      {{"-Ef"}, {{exclude_time, "f"}, {exclude_graph, "f"}}},
      {{"-ff"}, {{include_graph, "f"}}},
      {{"-F", "f"}, {{include_time, "f"}, {include_graph, "f"}}},
      {{"--time=f"}, {{include_time, "f"}}},
      {{"--no-time", "f"}, {{exclude_time, "f"}}},
      {{"-N", "-p"}, {{exclude_time, "-p"}}},
  };
  for (const auto& [words, choices] : cases) {
    CAPTURE(words);
    CHECK(request_of(words).symspecs == choices);
  }
}

TEST_CASE("flags of report options, by letter and by name") {
  const std::vector<std::pair<Words, bool ReportRequest::*>> cases = {
      {{"-a", "--no-static"}, &ReportRequest::ignore_static},
      {{"-b", "--brief"}, &ReportRequest::brief},
      {{"-c", "--static-call-graph"}, &ReportRequest::static_calls},
      {{"-D", "--ignore-non-functions"}, &ReportRequest::ignore_non_functions},
      {{"-i", "--file-info"}, &ReportRequest::file_information},
      {{"-l", "--line", "-s", "--sum"}, &ReportRequest::by_line},
      {{"-L", "--print-path"}, &ReportRequest::full_paths},
      {{"-T", "--traditional"}, &ReportRequest::traditional},
      {{"-x", "--all-lines"}, &ReportRequest::every_line},
      {{"-y", "--separate-files"}, &ReportRequest::separate_files},
      {{"-z", "--display-unused-functions"}, &ReportRequest::show_unused},
      {{"--inline-file-names"}, &ReportRequest::inline_file_names},
      {{"--accurate"}, &ReportRequest::accurate},
      {{"--error"}, &ReportRequest::show_errors},
  };
  const ReportRequest plain = request_of({});
  for (const auto& [words, flag] : cases) {
    CHECK_FALSE(plain.*flag);
    for (const std::string_view word : words) {
      CAPTURE(word);
      CHECK(request_of({word}).*flag);
      CHECK(request_of({word, word}).*flag);
    }
  }
}

TEST_CASE("numbers of report options are read as the C library does") {
  for (const auto& [word, value] :
       std::vector<std::pair<std::string_view, int>>{{"3", 3},
                                                     {"-3", 0},
                                                     {"abc", 0},
                                                     {"3x", 3},
                                                     {" 3", 3},
                                                     {"0x3", 0},
                                                     {"010", 10},
                                                     {"", 0},
                                                     {"4294967299", 3}}) {
    CAPTURE(word);
    CHECK(request_of({"-t", word}).table_length == value);
    CHECK(request_of({"-w", word}).index_width == std::max(1, value));
  }
  constexpr std::uint64_t most = ~std::uint64_t{0};
  for (const auto& [word, value] :
       std::vector<std::pair<std::string_view, std::uint64_t>>{{"3", 3},
                                                               {"-1", most},
                                                               {"abc", 0},
                                                               {"99999999999999999999", most},
                                                               {"4294967299", 4294967299}}) {
    CAPTURE(word);
    CHECK(request_of({"-m", word}).minimum_count == value);
  }
  CHECK(request_of({"-d"}).debug_topics == 0xffffffff);
  CHECK(request_of({"-d1", "--debug=6"}).debug_topics == 7);
  CHECK(request_of({"-dabc"}).debug_topics == 0);
}

TEST_CASE("operands, directories, formats and styles of reports") {
  CHECK(request_of({}).executable == "a.out");
  CHECK(request_of({}).profiles == std::vector<std::string>{"gmon.out"});
  const ReportRequest request = request_of({"x", "-b", "g", "-I", "a::b", "h", "-Ic", "--", "-p"});
  CHECK(request.executable == "x");
  CHECK(request.brief);
  CHECK(request.profiles == std::vector<std::string>{"g", "h", "-p"});
  CHECK(request.source_directories == std::vector<std::string>{"a", "", "b", "c"});
  CHECK(request.kinds.empty());
  CHECK(split_directories("") == std::vector<std::string>{""});
  CHECK(split_directories("a:") == std::vector<std::string>{"a", ""});
  CHECK(request_of({"x", "-"}).profiles == std::vector<std::string>{"-"});

  for (const auto& [word, format] : std::vector<std::pair<std::string_view, GmonFormatChoice>>{
           {"auto", GmonFormatChoice::automatic},
           {"a", GmonFormatChoice::automatic},
           {"magic", GmonFormatChoice::gnu},
           {"mm", GmonFormatChoice::gnu},
           {"bsd", GmonFormatChoice::bsd},
           {"4.4bsd", GmonFormatChoice::bsd44},
           {"4", GmonFormatChoice::bsd44}}) {
    CHECK(request_of({"-O", word}).format == format);
    CHECK(request_of({"-O", "prof", "--file-format", word}).format == format);
  }

  CHECK(request_of({}).demangle == DemangleStyle::automatic);
  CHECK(request_of({"--demangle=rust"}).demangle == DemangleStyle::rust);
  CHECK(request_of({"--demangle=rust", "--demangle"}).demangle == DemangleStyle::rust);
  CHECK(request_of({"--demangle=none"}).demangle == DemangleStyle::none);
  CHECK_FALSE(request_of({"--demangle", "--no-demangle"}).demangle.has_value());
  CHECK(request_of({"--no-demangle", "--demangle"}).demangle == DemangleStyle::automatic);
  CHECK_FALSE(request_of({"-T", "--demangle"}).demangle.has_value());
  CHECK(request_of({"-S", "f"}).external_symbols == "f");
  CHECK(request_of({"-R", "f"}).function_map == "f");
}

TEST_CASE("colour, pager, help and version of reports") {
  CHECK(options_of({}).color == ColorChoice::automatic);
  CHECK(options_of({}).pager);
  CHECK_FALSE(options_of({"--no-pager"}).pager);
  CHECK(options_of({"--color"}).color == ColorChoice::always);
  CHECK(options_of({"--color=never"}).color == ColorChoice::never);
  CHECK(options_of({"--color=auto"}).color == ColorChoice::automatic);
  for (const Words& words : std::vector<Words>{{"-h"},
                                               {"--help"},
                                               {"-p", "-bh"},
                                               {"-h", "--bogus"},
                                               {"-O", "p", "-h"},
                                               {"-r", "-Rm", "--he"}}) {
    CHECK(std::holds_alternative<HelpRequest>(parse(words)));
  }
  for (const Words& words : std::vector<Words>{{"-v"}, {"--version"}, {"-v", "-h"}}) {
    CHECK(std::holds_alternative<VersionRequest>(parse(words)));
  }
}

TEST_CASE("report options that make no sense are refused, naming them") {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"--bogus", "-h"}, "--bogus"},
      {{"--bogus=3"}, "--bogus is"},
      {{"-bg"}, "-g"},
      {{"\xc3\xa9"}, ""},
      {{"-\xc3"}, "-\xc3"},
      {{"-t"}, "-t/--table-length needs"},
      {{"--width"}, "-w/--width needs"},
      {{"-k"}, "-k needs"},
      {{"--line=4"}, "--line takes"},
      {{"--n"}, "--no-static"},
      {{"--=x"}, "-- is"},
      {{"-O", "x"}, "-O/--file-format=x: "},
      {{"-O", "A"}, "-O/--file-format=A: "},
      {{"-O", ""}, "-O/--file-format"},
      {{"-O", "prof"}, "prof"},
      {{"-r", "-R", "map"}, "-r/--function-ordering and -R/--file-ordering"},
      {{"-R", ""}, "-R/--file-ordering"},
      {{"-S", ""}, "-S/--external-symbol-table"},
      {{"--demangle=foo"}, "--demangle=foo: "},
      {{"--demangle="}, "--demangle"},
      {{"--color=red"}, "--color"},
      {{"a.out", "-", "-"}, "-:"},
  };
  for (const auto& [words, name] : cases) {
    CAPTURE(words);
    const std::string message = error_of(words);
    CHECK(message.empty() == name.empty());
    CHECK(message.find(name) != std::string::npos);
  }
}

// getopt's rule, for GNU gprof's names: finds what our own names would make ambiguous.
TEST_CASE("every abbreviation that GNU gprof takes means the same") {
  for (const std::string_view name : gnu_names) {
    for (std::size_t length = 1; length <= name.size(); ++length) {
      const std::string_view prefix = name.substr(0, length);
      const auto begins = [prefix](std::string_view other) { return other.starts_with(prefix); };
      const bool unique = length == name.size() || std::ranges::count_if(gnu_names, begins) == 1;
      const std::string word = "--" + std::string(prefix);
      CAPTURE(word);
      const std::string error = error_of({word, "1"});
      CHECK((error.find("may mean") != std::string::npos) == !unique);
      if (!unique) continue;
      // A flag reveals its name when given an argument; others are identified by their effect.
      const std::string full = "--" + std::string(name);
      CHECK(error_of({word + "=a"}) == error_of({full + "=a"}));
      const ReportLine one = parse(Words{word + "=auto"});
      const ReportLine other = parse(Words{full + "=auto"});
      REQUIRE(one.index() == other.index());
      if (const auto* options = std::get_if<ReportOptions>(&one)) {
        const ReportRequest& expected = std::get_if<ReportOptions>(&other)->request;
        CHECK(options->request.kinds == expected.kinds);
        CHECK(options->request.named == expected.named);
        CHECK(options->request.symspecs == expected.symspecs);
      }
    }
  }
}

TEST_CASE("the table of report options has GNU gprof's names and letters") {
  std::set<std::string_view> names;
  std::set<char> letters;
  for (const OptionRow& option : report_rows()) {
    if (option.letter != 0) CHECK(letters.insert(option.letter).second);
    if (!option.name.empty()) CHECK(names.insert(option.name).second);
    CHECK((option.value.use == ValueUse::none) == option.value.name.empty());
  }
  for (const std::string_view name : gnu_names) CHECK(names.contains(name));
  // Beside our own four, the part of the profile; its `time` is one of GNU gprof's.
  CHECK(names.size() == std::size(gnu_names) + 4 + 4);
  for (const char letter : std::string_view("abcdefhiklmnpqrstvwxyzABCDEFIJLNOPQRSTZ")) {
    CAPTURE(letter);
    CHECK(letters.contains(letter));
  }
}

TEST_CASE("files of arguments") {
  const ArgumentFile inner("report_inner_arguments", "-p\n'x y' \"a'b\" c\\ d");
  const ArgumentFile outer("report_outer_arguments", "  -b " + inner.word() + "\n\n-z");
  const ArgumentFile blank("report_blank_arguments", " \n\t");
  const ReportRequest request = request_of({outer.word(), "-a", blank.word()});
  CHECK(request.brief);
  CHECK(request.show_unused);
  CHECK(request.ignore_static);
  CHECK(request.executable == "x y");
  CHECK(request.profiles == std::vector<std::string>{"a'b", "c d"});
  CHECK(request_of({"@"}).executable == "@");
  CHECK(request_of({"@nowhere/at/all"}).executable == "@nowhere/at/all");
  CHECK(error_of({"@."}).find("@.") == 0);

  const std::string own = "@" + work_directory().string() + "/report_endless_arguments";
  const ArgumentFile endless("report_endless_arguments", own + " " + own);
  CHECK(error_of({endless.word()}).find(own) == 0);
}
