#include "server/features/test_lens.h"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

namespace {

using Words = std::vector<std::string>;

Words arguments_of(std::string_view source) {
  const auto tests = test_macros(source);
  REQUIRE(tests.size() == 1);
  return test_arguments(tests.front());
}

TestsOfProgram program_with(std::string executable, std::set<std::string> classes) {
  TestsOfProgram program;
  program.executable = std::move(executable);
  program.classes = std::move(classes);
  return program;
}

std::vector<TestRun> runs_in(const std::string& text, const TestsOfFile& programs) {
  const Document document(text, "cpp", 1, PositionEncoding::utf16);
  BuildAlignments alignments;
  return test_runs(test_macros(text), document, programs, alignments);
}

}  // namespace

TEST_CASE("Catch2 patterns: what means something in them is escaped") {
  CHECK(catch2_pattern("plain name - int") == "plain name - int");
  CHECK(catch2_pattern("a, [b] \"c\" \\ *") == "a\\, \\[b\\] \\\"c\\\" \\\\ \\*");
  CHECK(catch2_pattern("~not") == "\\~not");
  CHECK(catch2_pattern("-x") == "\\-x");
  CHECK(catch2_pattern(" blank") == "\\ blank");
  CHECK(catch2_pattern("a~b-c") == "a~b-c");
  CHECK(catch2_pattern("exclude:x") == "*xclude:x");
}

TEST_CASE("arguments run one test, with all of its parameters and types") {
  CHECK(arguments_of("TEST(S, N) {}") == Words{"--gtest_filter=S.N"});
  CHECK(arguments_of("TEST_P(S, N) {}") == Words{"--gtest_filter=S.N/*:*/S.N/*"});
  CHECK(arguments_of("TYPED_TEST(S, N) {}") == Words{"--gtest_filter=S/*.N"});
  CHECK(arguments_of("TYPED_TEST_P(S, N) {}") == Words{"--gtest_filter=S/*.N:*/S/*.N"});
  CHECK(arguments_of("TEST(DISABLED_S, N) {}") ==
        Words{"--gtest_filter=DISABLED_S.N", "--gtest_also_run_disabled_tests"});
  CHECK(arguments_of("TEST_CASE(\"-n $(x)\") {}") == Words{"\\-n $(x)"});
  CHECK(arguments_of("TEMPLATE_TEST_CASE(\"t\", \"[t]\", int) {}") == Words{"t - *"});
}

TEST_CASE("the first program that contains a test runs it") {
  const auto runs =
      runs_in("TEST(S, A) {}\nTEST(S, B) {}\nTEST(S, C) {}\n",
              {program_with("/one", {"S_B_Test"}), program_with("/two", {"S_A_Test", "S_B_Test"})});
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].name == "S.A");
  CHECK(runs[0].program == "/two");
  CHECK(runs[1].name == "S.B");
  CHECK(runs[1].program == "/one");
}

TEST_CASE("a test runs where CTest would run it, else where its program is run") {
  TestsOfProgram program = program_with("/p", {"S_A_Test", "S_B_Test"});
  std::vector<CTestTest> entries = {{"all", "/p", {}, "/all", {"X=1"}},
                                    {"S.A", "/p", {"--gtest_filter=S.A"}, "/a", {}},
                                    {"pre.B", "/p", {"--gtest_filter=S.B"}, "/b", {}}};
  program.ctest = std::make_shared<const std::vector<CTestTest>>(entries);
  auto runs = runs_in("TEST(S, A) {} TEST(S, B) {}", {program});
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].folder == "/a");
  CHECK(runs[0].environment.empty());
  CHECK(runs[1].folder == "/b");
  entries.resize(1);
  program.ctest = std::make_shared<const std::vector<CTestTest>>(entries);
  runs = runs_in("TEST(S, A) {}", {program});
  CHECK(runs.at(0).folder == "/all");
  CHECK(runs.at(0).environment == Words{"X=1"});
  program.ctest = std::make_shared<const std::vector<CTestTest>>();
  CHECK(runs_in("TEST(S, A) {}", {program}).at(0).folder == std::nullopt);
  program.ctest = nullptr;
  CHECK(runs_in("TEST(S, A) {}", {program}).at(0).folder == std::nullopt);
}

TEST_CASE("a lens is on the line of the macro") {
  const std::string text = "int x;\n  TEST(S,\n    A) { x(); }\n";
  const Document document(text, "cpp", 1, PositionEncoding::utf16);
  const auto lenses = test_lenses(runs_in(text, {program_with("/p", {"S_A_Test"})}), document);
  REQUIRE(lenses.size() == 1);
  CHECK(lenses[0].range == Range{{1, 2}, {1, 9}});
  CHECK(lenses[0].command->title == "Profile this test");
  CHECK(lenses[0].command->command == profile_test_command);
}
