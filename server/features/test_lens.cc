#include "server/features/test_lens.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "server/protocol/any_value.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view disabled_prefix = "DISABLED_";

bool is_disabled(const TestMacro& test) {
  return test.suite.starts_with(disabled_prefix) || test.name.starts_with(disabled_prefix);
}

// The class that GoogleTest's macro defines.
std::string class_of(const TestMacro& test) {
  if (test.variants == TestVariants::by_type_and_program) {
    return fmt::format("gtest_suite_{}_::{}", test.suite, test.name);
  }
  return fmt::format("{}_{}_Test", test.suite, test.name);
}

// Instances of tests with parameters begin with the name of an instantiation, which is in another
// place of the source. That name may be empty, and then has no slash.
std::string google_test_filter(const TestMacro& test) {
  switch (test.variants) {
    case TestVariants::one:
      break;
    case TestVariants::by_parameter:
      return fmt::format("{0}.{1}/*:*/{0}.{1}/*", test.suite, test.name);
    case TestVariants::by_type:
      return fmt::format("{}/*.{}", test.suite, test.name);
    case TestVariants::by_type_and_program:
      return fmt::format("{0}/*.{1}:*/{0}/*.{1}", test.suite, test.name);
  }
  return fmt::format("{}.{}", test.suite, test.name);
}

std::string shown_test_name(const TestMacro& test) {
  return test.framework == TestFramework::catch2 ? test.name
                                                 : fmt::format("{}.{}", test.suite, test.name);
}

// A document with the text of one build; only tests that are found by their lines need it.
class AlignedText {
 public:
  AlignedText(const Document& document, const TestsOfProgram& program, BuildAlignments& alignments)
      : document_(document), build_(program.lines.empty() ? nullptr : program.build_text.get()) {
    if (build_ != nullptr) lines_ = alignments.of(program.build_text, document);
  }

  // The line of the build, if its text is the compiled one.
  [[nodiscard]] std::optional<LineNumber> compiled(LineNumber line) const {
    if (build_ == nullptr) return std::nullopt;
    const auto there = lines_.there(line);
    const bool is_same = there && *there <= build_->size() &&
                         (*build_)[*there - 1] == (*document_.hashes())[line - 1];
    return is_same ? there : std::nullopt;
  }

 private:
  const Document& document_;
  const LineHashes* build_;
  LineAlignment lines_;
};

// Lines of the text, from 1 on.
struct NamingLines {
  LineNumber first = 0;
  LineNumber last = 0;
};

NamingLines naming_lines(const TestMacro& test, const Document& document) {
  const std::size_t last = std::max(test.named_end, test.begin + 1) - 1;
  return {document.position_of(test.begin).line + 1, document.position_of(last).line + 1};
}

// Symbols do not name the test, so every line that names it must be as it was compiled.
bool contains_catch_test(const TestsOfProgram& program, const AlignedText& text,
                         NamingLines lines) {
  const auto first = text.compiled(lines.first);
  if (!first) return false;
  for (LineNumber line = lines.first; line <= lines.last; ++line) {
    if (text.compiled(line) != *first + (line - lines.first)) return false;
  }
  // The compiler may count the function as that of the macro's first line or of a later one.
  const auto defined = program.lines.lower_bound(*first);
  return defined != program.lines.end() && *defined <= *first + (lines.last - lines.first);
}

bool contains_test(const TestsOfProgram& program, const AlignedText& text, const TestMacro& test,
                   const Document& document) {
  if (test.framework == TestFramework::google_test) return program.classes.contains(class_of(test));
  return !program.lines.empty() && contains_catch_test(program, text, naming_lines(test, document));
}

// CTest's entry that runs this test alone, else any that runs its program: the test finds its files
// in the entry's folder.
const CTestTest* ctest_entry_of(const TestsOfProgram& program, const TestRun& run) {
  if (!program.ctest || program.ctest->empty()) return nullptr;
  const auto of_test = std::ranges::find_if(*program.ctest, [&](const CTestTest& entry) {
    return entry.name == run.name || (!run.arguments.empty() && !entry.arguments.empty() &&
                                      entry.arguments.front() == run.arguments.front());
  });
  return of_test != program.ctest->end() ? &*of_test : &program.ctest->front();
}

TestRun run_in(const TestsOfProgram& program, const TestMacro& test, const Document& document) {
  TestRun run;
  run.name = shown_test_name(test);
  run.program = program.executable.string();
  run.arguments = test_arguments(test);
  if (const CTestTest* entry = ctest_entry_of(program, run)) {
    run.folder = entry->folder.string();
    run.environment = entry->environment;
  }
  run.range = Range{document.position_of(test.begin), document.position_of(test.end)};
  return run;
}

}  // namespace

std::string catch2_pattern(std::string_view name) {
  std::string pattern;
  // Catch2 excludes tests by this prefix, escaped or not: a wildcard replaces its first letter.
  if (name.starts_with("exclude:")) {
    pattern = '*';
    name.remove_prefix(1);
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_mark = std::string_view("\\,[]\"*").find(name[i]) != std::string_view::npos;
    // At the beginning these would exclude the test, be an option, or be skipped.
    const bool is_mark_first =
        i == 0 && std::string_view("~- ").find(name[i]) != std::string_view::npos;
    if (is_mark || is_mark_first) pattern += '\\';
    pattern += name[i];
  }
  return pattern;
}

std::vector<std::string> test_arguments(const TestMacro& test) {
  if (test.framework == TestFramework::catch2) {
    const std::string pattern = catch2_pattern(test.name);
    // Instances are named by their types.
    return {test.variants == TestVariants::one ? pattern : pattern + " - *"};
  }
  std::vector<std::string> arguments = {"--gtest_filter=" + google_test_filter(test)};
  if (is_disabled(test)) arguments.emplace_back("--gtest_also_run_disabled_tests");
  return arguments;
}

std::vector<TestRun> test_runs(const std::vector<TestMacro>& tests, const Document& document,
                               const TestsOfFile& programs, BuildAlignments& alignments) {
  std::vector<AlignedText> texts;
  texts.reserve(programs.size());
  for (const TestsOfProgram& program : programs) texts.emplace_back(document, program, alignments);
  std::vector<TestRun> runs;
  for (const TestMacro& test : tests) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
      if (!contains_test(programs[i], texts[i], test, document)) continue;
      runs.push_back(run_in(programs[i], test, document));
      break;
    }
  }
  return runs;
}

std::vector<CodeLens> test_lenses(const std::vector<TestRun>& runs, const Document& document) {
  std::vector<CodeLens> lenses;
  for (const TestRun& run : runs) {
    Command command;
    command.title = "Profile this test";
    command.command = profile_test_command;
    command.arguments = {to_any(run)};
    const Position begin = run.range->start;
    const Position end = document.end_of_line(begin.line + 1);
    lenses.push_back({{begin, std::min(end, run.range->end)}, std::move(command), {}});
  }
  return lenses;
}

TestRun run_of(const CTestTest& test) {
  TestRun run;
  run.name = test.name;
  run.program = test.program.string();
  run.arguments = test.arguments;
  run.folder = test.folder.string();
  run.environment = test.environment;
  return run;
}

}  // namespace gprof::lsp
