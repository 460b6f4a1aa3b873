// Finds the tests of a C++ source by the macros that define them: GoogleTest's and Catch2's.
//
// Reads tokens, not C++: comments, directives and literals are skipped, lines that a backslash
// continues are joined, and names are taken from literals as the compiler would read them. A test
// that is not named by a literal, but for example by a macro, is left out: its name is not in the
// text.
// Cost: linear in the text; at most max_tests are found. Thread contract: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gprof::lsp {

enum class TestFramework : std::uint8_t { google_test, catch2 };

// Which instances of a test the program runs; they have names of their own.
enum class TestVariants : std::uint8_t {
  one,                  // the name itself
  by_parameter,         // TEST_P
  by_type,              // TYPED_TEST, TEMPLATE_TEST_CASE
  by_type_and_program,  // TYPED_TEST_P, whose types are chosen elsewhere
};

struct TestMacro {
  TestFramework framework = TestFramework::google_test;
  TestVariants variants = TestVariants::one;
  std::string suite;  // GoogleTest's
  std::string name;   // as the program lists it: with Catch2's "Scenario: "
  // Offsets in bytes: where the macro's name begins and ends, where the last of the arguments that
  // name the test ends, and where the body ends, at the latest with the text.
  std::size_t begin = 0;
  std::size_t macro_end = 0;
  std::size_t named_end = 0;
  std::size_t end = 0;

  friend bool operator==(const TestMacro&, const TestMacro&) = default;
};

inline constexpr std::size_t max_tests = 10'000;

// In the order of the text.
[[nodiscard]] std::vector<TestMacro> test_macros(std::string_view text);

}  // namespace gprof::lsp
