#include "engine/report/printed_parts.h"

#include <new>
#include <string>
#include <string_view>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/unit/report/written_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

void print_numbers(TextOutput& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) text += std::to_string(i) + "\n";
}

}  // namespace

TEST_CASE("parts come out in their order") {
  const std::size_t count = GENERATE(0U, 1U, 511U, 512U, 513U, 1024U, 20'000U);
  const std::string expected =
      written_text([&](TextOutput& text) { print_numbers(text, 0, count); });
  for (int round = 0; round < 20; ++round) {
    CHECK(written_text([&](TextOutput& text) { print_in_parts(text, count, print_numbers); }) ==
          expected);
  }
}

TEST_CASE("a part that the second thread has no memory for is printed by the first") {
  const auto first = std::this_thread::get_id();
  const std::string expected =
      written_text([](TextOutput& text) { print_numbers(text, 0, 20'000); });
  const auto print = [&](TextOutput& text, std::size_t begin, std::size_t end) {
    if (std::this_thread::get_id() != first) throw std::bad_alloc();
    print_numbers(text, begin, end);
  };
  CHECK(written_text([&](TextOutput& text) { print_in_parts(text, 20'000, print); }) == expected);
}

TEST_CASE("nothing more is printed once nobody wants it") {
  std::size_t pieces = 0;
  TextOutput text([&](std::string_view) { return ++pieces < 2; });
  print_in_parts(text, 1'000'000, print_numbers);
  CHECK(pieces == 2);
}
