#include "engine/symspec/symspec.h"

#include <limits>
#include <string>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

struct Meaning {
  std::string_view text;
  std::string_view file;
  std::string_view function;
  LineNumber line = 0;
};

}  // namespace

TEST_CASE("symspec: every form of the manual") {
  const Meaning meaning = GENERATE(values<Meaning>({
      {"", "", "", 0},
      {"main", "", "main", 0},
      {"main.c", "main.c", "", 0},
      {"main:", "main", "", 0},
      {"12", "", "", 12},
      {"main.c:f", "main.c", "f", 0},
      {"main.c:12", "main.c", "", 12},
      {":f.constprop.0", "", "f.constprop.0", 0},
      {":12", "", "", 12},
      {"/src/main.c:f", "/src/main.c", "f", 0},
  }));
  INFO(meaning.text);
  const Symspec symspec = parse_symspec(meaning.text);
  CHECK(symspec.file == meaning.file);
  CHECK(symspec.function == meaning.function);
  CHECK(symspec.line == meaning.line);
}

TEST_CASE("symspec: the last colon divides") {
  const Symspec symspec = parse_symspec("c:/a.c:std::f");
  CHECK(symspec.file == "c:/a.c:std:");
  CHECK(symspec.function == "f");
}

TEST_CASE("symspec: a number ends where its digits end") {
  CHECK(parse_symspec("12abc").line == 12);
  CHECK(parse_symspec("a.c:7f").line == 7);
  CHECK(parse_symspec("a.c:7f").function.empty());
}

TEST_CASE("symspec: a line beyond all lines stays beyond them") {
  CHECK(parse_symspec(std::string(400, '9')).line == std::numeric_limits<LineNumber>::max());
}
