#include "engine/dwarf/source_path.h"

#include <catch2/catch.hpp>

using gprof::dwarf::canonical_path;
using gprof::dwarf::joined_path;

TEST_CASE("source paths are made canonical by their text alone") {
  struct Case {
    const char* given;
    const char* expected;
  };
  const Case cases[] = {
      {"/a/b/c.cc", "/a/b/c.cc"},
      {"/a/./b//c.cc", "/a/b/c.cc"},
      {"/a/b/../c.cc", "/a/c.cc"},
      {"/../../c.cc", "/c.cc"},
      {"/a/b/", "/a/b"},
      {"a/../b.cc", "b.cc"},
      {"../a/b.cc", "../a/b.cc"},
      {"a/../../b.cc", "../b.cc"},
      {"./b.cc", "b.cc"},
      {"/", "/"},
      {"a/..", "."},
      {"C:\\proj\\src\\a.c", "C:/proj/src/a.c"},
      {"C:\\proj/src/../a.c", "C:/proj/a.c"},
      {"C:\\proj/D:/other\\./a.c", "D:/other/a.c"},
      {"C:/../a.c", "C:/../a.c"},
      {"/home/c:d/a\\b.c", "/home/c:d/a\\b.c"},
      {"c:a.c", "c:a.c"},
  };
  for (const Case& one : cases) {
    INFO(one.given);
    CHECK(canonical_path(one.given) == one.expected);
  }
}

TEST_CASE("a relative name is taken from its directory") {
  CHECK(joined_path("/src", "a.cc") == "/src/a.cc");
  CHECK(joined_path("/src/", "a.cc") == "/src/a.cc");
  CHECK(joined_path("/src", "/usr/a.h") == "/usr/a.h");
  CHECK(joined_path("", "a.cc") == "a.cc");
  CHECK(joined_path("/src", "") == "/src");
}
