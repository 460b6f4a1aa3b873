#include "server/features/test_macros.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "server/text/source_tokens.h"

namespace gprof::lsp {
namespace {

// How a macro's first arguments name the test.
enum class Naming : std::uint8_t {
  suite_and_name,      // two identifiers
  title,               // a literal
  scenario,            // the same, which Catch2 prefixes
  class_and_title,     // a fixture's class, then a literal
  class_and_scenario,  // the same
};

struct MacroKind {
  std::string_view macro;
  Naming naming;
  TestVariants variants;
};

constexpr std::array<MacroKind, 7> google_test_macros = {{
    {"TEST", Naming::suite_and_name, TestVariants::one},
    {"TEST_F", Naming::suite_and_name, TestVariants::one},
    {"GTEST_TEST", Naming::suite_and_name, TestVariants::one},
    {"GTEST_TEST_F", Naming::suite_and_name, TestVariants::one},
    {"TEST_P", Naming::suite_and_name, TestVariants::by_parameter},
    {"TYPED_TEST", Naming::suite_and_name, TestVariants::by_type},
    {"TYPED_TEST_P", Naming::suite_and_name, TestVariants::by_type_and_program},
}};

// Each of them may also begin with CATCH_.
constexpr std::array<MacroKind, 15> catch2_macros = {{
    {"TEST_CASE", Naming::title, TestVariants::one},
    {"SCENARIO", Naming::scenario, TestVariants::one},
    {"TEST_CASE_METHOD", Naming::class_and_title, TestVariants::one},
    {"SCENARIO_METHOD", Naming::class_and_scenario, TestVariants::one},
    {"TEST_CASE_PERSISTENT_FIXTURE", Naming::class_and_title, TestVariants::one},
    {"TEMPLATE_TEST_CASE", Naming::title, TestVariants::by_type},
    {"TEMPLATE_TEST_CASE_SIG", Naming::title, TestVariants::by_type},
    {"TEMPLATE_TEST_CASE_METHOD", Naming::class_and_title, TestVariants::by_type},
    {"TEMPLATE_TEST_CASE_METHOD_SIG", Naming::class_and_title, TestVariants::by_type},
    {"TEMPLATE_PRODUCT_TEST_CASE", Naming::title, TestVariants::by_type},
    {"TEMPLATE_PRODUCT_TEST_CASE_SIG", Naming::title, TestVariants::by_type},
    {"TEMPLATE_PRODUCT_TEST_CASE_METHOD", Naming::class_and_title, TestVariants::by_type},
    {"TEMPLATE_PRODUCT_TEST_CASE_METHOD_SIG", Naming::class_and_title, TestVariants::by_type},
    {"TEMPLATE_LIST_TEST_CASE", Naming::title, TestVariants::by_type},
    {"TEMPLATE_LIST_TEST_CASE_METHOD", Naming::class_and_title, TestVariants::by_type},
}};

// Maximum number of tokens in the arguments that name a test: a macro with more is not a test.
constexpr std::size_t max_name_tokens = 256;

constexpr std::string_view catch_prefix = "CATCH_";
constexpr std::string_view scenario_prefix = "Scenario: ";

const MacroKind* kind_named(std::span<const MacroKind> kinds, std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &MacroKind::macro);
  return found == kinds.end() ? nullptr : &*found;
}

class TestReader {
 public:
  explicit TestReader(std::string_view text) : tokens_(text) {}

  std::vector<TestMacro> read() {
    for (advance(); token_.kind != SourceToken::Kind::end && tests_.size() < max_tests;) {
      if (token_.kind == SourceToken::Kind::name) {
        take_name();
      } else {
        take_mark();
      }
    }
    end_open_test(token_.end);
    return std::move(tests_);
  }

 private:
  using Kind = SourceToken::Kind;

  void advance() { token_ = tokens_.next(); }

  void take_name() {
    TestMacro test;
    const MacroKind* kind = kind_named(google_test_macros, token_.value);
    if (kind == nullptr) {
      test.framework = TestFramework::catch2;
      std::string_view name = token_.value;
      if (name.starts_with(catch_prefix)) name.remove_prefix(catch_prefix.size());
      kind = kind_named(catch2_macros, name);
    }
    test.begin = token_.begin;
    test.macro_end = token_.end;
    advance();
    if (kind == nullptr || !token_.is('(')) return;
    advance();
    test.variants = kind->variants;
    if (!read_names(*kind, test)) return;
    // Tests are not nested: if the last one is still open, its closing brace is missing.
    end_open_test(test.begin);
    tests_.push_back(std::move(test));
    body_ = Body::awaited;
    braces_ = 0;
  }

  // The body is the first block after the macro; a `;` instead says that there is none.
  void take_mark() {
    if (body_ == Body::awaited && token_.is(';')) body_ = Body::none;
    if (token_.is('{') && body_ != Body::none) {
      body_ = Body::open;
      ++braces_;
    }
    if (token_.is('}') && body_ == Body::open && --braces_ == 0) end_open_test(token_.end);
    advance();
  }

  void end_open_test(std::size_t end) {
    if (body_ == Body::open) tests_.back().end = end;
    body_ = Body::none;
  }

  // Reads the arguments, from after the parenthesis on; returns whether they name a test.
  bool read_names(const MacroKind& kind, TestMacro& test) {
    switch (kind.naming) {
      case Naming::suite_and_name:
        return read_identifier(test.suite, ',') && read_identifier(test.name, ')') &&
               end_names(test);
      case Naming::class_and_title:
      case Naming::class_and_scenario:
        if (!skip_argument()) return false;
        [[fallthrough]];
      case Naming::title:
      case Naming::scenario:
        break;
    }
    const bool is_scenario =
        kind.naming == Naming::scenario || kind.naming == Naming::class_and_scenario;
    if (is_scenario) test.name = scenario_prefix;
    return read_title(test.name) && end_names(test);
  }

  bool end_names(TestMacro& test) const {
    test.named_end = named_end_;
    test.end = named_end_;
    return true;
  }

  bool read_identifier(std::string& name, char closing) {
    if (token_.kind != Kind::name) return false;
    name = token_.value;
    named_end_ = token_.end;
    advance();
    if (!token_.is(closing)) return false;
    advance();
    return true;
  }

  // Adjacent literals are one.
  bool read_title(std::string& title) {
    std::size_t count = 0;
    for (; token_.kind == Kind::text && token_.is_complete && count < max_name_tokens; ++count) {
      title += token_.value;
      named_end_ = token_.end;
      advance();
    }
    return count > 0 && (token_.is(',') || token_.is(')'));
  }

  // Skips the comma after it as well.
  bool skip_argument() {
    std::size_t depth = 0;
    for (std::size_t count = 0; count < max_name_tokens; ++count) {
      if (token_.kind == Kind::end || token_.is('{') || token_.is(';')) return false;
      if (token_.is('(')) ++depth;
      if (token_.is(')') && depth-- == 0) return false;
      const bool is_end = token_.is(',') && depth == 0;
      advance();
      if (is_end) return true;
    }
    return false;
  }

  enum class Body : std::uint8_t { none, awaited, open };

  SourceTokens tokens_;
  SourceToken token_;
  std::vector<TestMacro> tests_;
  Body body_ = Body::none;  // of the last test
  std::size_t braces_ = 0;  // that are open in it
  std::size_t named_end_ = 0;
};

}  // namespace

std::vector<TestMacro> test_macros(std::string_view text) { return TestReader(text).read(); }

}  // namespace gprof::lsp
