#include "server/features/test_macros.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/text/source_tokens.h"

using namespace gprof::lsp;

namespace {

using Names = std::vector<std::string>;

// "Suite.Name" or the title, each.
Names names_in(std::string_view text) {
  Names names;
  for (const TestMacro& test : test_macros(text)) {
    names.push_back(test.suite.empty() ? test.name : test.suite + "." + test.name);
  }
  return names;
}

std::string part(std::string_view text, std::size_t begin, std::size_t end) {
  return std::string(text.substr(begin, end - begin));
}

std::string tokens_of(std::string_view text) {
  SourceTokens tokens(text);
  std::string all;
  for (SourceToken token = tokens.next(); token.kind != SourceToken::Kind::end;
       token = tokens.next()) {
    if (!all.empty()) all += ' ';
    const bool is_text = token.kind == SourceToken::Kind::text;
    all += is_text               ? (token.is_complete ? "<" + token.value + ">" : "<" + token.value)
           : token.value.empty() ? "_"
                                 : token.value;
  }
  return all;
}

}  // namespace

TEST_CASE("source tokens: comments and directives are none, joined lines are one") {
  CHECK(tokens_of("a /* b \" */ c // d \\\n e\nf") == "a c f");
  CHECK(tokens_of("#define X TEST(A, B) \\\n  more\n  # error don't\ny") == "y");
  CHECK(tokens_of("x # y") == "x # y");
  CHECK(tokens_of("TE\\\nST\\\r\n(A)") == "TEST ( A )");
  CHECK(tokens_of("/* open") == "");
  CHECK(tokens_of("1'000'000 + 0x1'f 'a' '\\'' u'x' 1.5e3") == "_ + _ _ _ _ _");
}

TEST_CASE("source tokens: literals are what they stand for") {
  CHECK(tokens_of(R"x("a\"b\\c" "\t\x41\101\?")x") == "<a\"b\\c> <\tAA?>");
  CHECK(tokens_of(R"x(u8"\u00e9" L"\U0001F600")x") == "<\xC3\xA9> <\xF0\x9F\x98\x80>");
  CHECK(tokens_of("R\"(a\\n\"b\n)\" + uR\"xy()\")xy\"") == "<a\\n\"b\n> + <)\">");
  CHECK(tokens_of("\"a\\\nb\"") == "<ab>");
  CHECK(tokens_of("\"open\nnext") == "<open next");
  CHECK(tokens_of("R\"never(closed") == "<");
  CHECK(tokens_of("R\"no parenthesis in reach of this") == "< no parenthesis in reach of this");
}

TEST_CASE("test macros: GoogleTest's are named by suite and name") {
  CHECK(names_in("TEST(Suite, Name) {}\nTEST_F(Fix,\n  Does) {}\nGTEST_TEST(A, B) {}") ==
        Names{"Suite.Name", "Fix.Does", "A.B"});
  const auto tests =
      test_macros("TEST_P(P, A) {} TYPED_TEST(T, B) {} TYPED_TEST_P(Q, C) {} TEST(S, D) {}");
  REQUIRE(tests.size() == 4);
  CHECK(tests[0].variants == TestVariants::by_parameter);
  CHECK(tests[1].variants == TestVariants::by_type);
  CHECK(tests[2].variants == TestVariants::by_type_and_program);
  CHECK(tests[3].variants == TestVariants::one);
}

TEST_CASE("test macros: Catch2's are named by literals") {
  CHECK(names_in(R"x(
    TEST_CASE("plain") {}
    TEST_CASE("in " "two parts", "[tag]") {}
    CATCH_TEST_CASE(R"(raw \d)", "[tag]") {}
    SCENARIO("it happens") {}
    TEST_CASE_METHOD(Fixture<(1, 2)>, "of a class", "[tag]") {}
    TEMPLATE_TEST_CASE("typed", "[tag]", int, (std::pair<int, int>)) {}
    TEMPLATE_TEST_CASE_METHOD(Fixture, "typed class", "[tag]", int) {}
  )x") == Names{"plain", "in two parts", "raw \\d", "Scenario: it happens", "of a class", "typed",
                "typed class"});
}

TEST_CASE("test macros: what is no test, or has no name in the text, is left out") {
  CHECK(names_in("// TEST(A, B) {}\n/* TEST_CASE(\"x\") */ \"TEST(A, B)\"").empty());
  CHECK(names_in("#define TEST_CASE(...) TEST(A, B)\n").empty());
  CHECK(names_in("TEST_CASE(name) {} TEST_CASE() {} TEST_CASE(\"a\" SUFFIX) {}").empty());
  CHECK(names_in("TEST(Suite) {} TEST(a.b, c) {} TEST(A, B, C) {} MY_TEST(A, B) {} TEST;").empty());
  CHECK(names_in("TEST_CASE(\"open\n) {}").empty());
  CHECK(names_in("TEST_CASE(\"open\nTEST(A, B) {}") == Names{"A.B"});
}

TEST_CASE("test macros: places are those of the macro, its names and its body") {
  const std::string_view text =
      "int x;\nTEST_CASE(\"a\",\n  \"[t]\") { if (x) { f({1}); } }\nint y;";
  const auto tests = test_macros(text);
  REQUIRE(tests.size() == 1);
  CHECK(part(text, tests[0].begin, tests[0].macro_end) == "TEST_CASE");
  CHECK(part(text, tests[0].begin, tests[0].named_end) == "TEST_CASE(\"a\"");
  CHECK(part(text, tests[0].begin, tests[0].end) ==
        "TEST_CASE(\"a\",\n  \"[t]\") { if (x) { f({1}); } }");
}

TEST_CASE("test macros: a body that is not closed ends with the next test, or the text") {
  const std::string_view text = "TEST(A, B) { if (x) {\nTEST(A, C) { f();";
  const auto tests = test_macros(text);
  REQUIRE(tests.size() == 2);
  CHECK(tests[0].end == tests[1].begin);
  CHECK(tests[1].end == text.size());
  CHECK(test_macros("TEST(A, B); int f() { }")[0].end == std::string("TEST(A, B").size());
}

TEST_CASE("amplification: as many tests as are found, and names as long as the text") {
  std::string text;
  for (std::size_t i = 0; i < max_tests + 10; ++i) text += "TEST(A, B) {}\n";
  CHECK(test_macros(text).size() == max_tests);
  // Each prefix of a test could be the text while one is typed.
  const std::string typed =
      "TEST_CASE_METHOD(F, R\"(a\\)\" \"b\\x41\\u00e9\" , \"[t]\") { 'x'; } /* */";
  for (std::size_t size = 0; size <= typed.size(); ++size) {
    CHECK(test_macros(std::string_view(typed).substr(0, size)).size() <= 1);
  }
}
