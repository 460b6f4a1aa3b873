// Which of several functions with one name a file means.
#include "engine/import/defined_functions.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/program.h"
#include "tests/support/process.h"
#include "tests/unit/analysis/imported_program.h"

using namespace gprof;
using gprof::test::have_programs;
using gprof::test::Imported;

TEST_CASE("paths agree in the names at their ends") {
  CHECK(common_path_end("/x/a/f.c", "/x/a/f.c") == 3);
  CHECK(common_path_end("/x/a/f.c", "./a/f.c") == 2);
  CHECK(common_path_end("/x//a/./f.c", "a/f.c") == 2);
  CHECK(common_path_end("/x/a/f.c", "/x/b/f.c") == 1);
  CHECK(common_path_end("/x/a/f.c", "/x/a/g.c") == 0);
  CHECK(common_path_end("f.c", "of.c") == 0);
  CHECK(common_path_end("", "f.c") == 0);
  CHECK(common_path_end("", "") == 0);
  CHECK(common_path_end("/", "//") == 0);
}

TEST_CASE("functions of one name are distinguished by where they are defined") {
  if (!have_programs({"gcc"})) return;
  const Imported imported("import-defined");
  const std::map<SymbolIndex, FunctionDefinition> definitions = {
      {0, {"/x/a/f.c", 3}}, {1, {"/x/b/f.c", 3}}, {2, {"/x/b/f.c", 9}}, {3, {"/x/c.h", 9}}};
  const auto definition = [&](SymbolIndex function) -> std::optional<FunctionDefinition> {
    const auto found = definitions.find(function);
    return found == definitions.end() ? std::nullopt : std::optional(found->second);
  };
  ImportTarget target{imported.program->symbols(), imported.program->code(), "prog",
                      [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
  using Functions = std::vector<SymbolIndex>;
  const Functions all = {0, 1, 2, 3, 4};
  // Without definitions there is nothing to choose by.
  CHECK(functions_defined_at(all, "/x/a/f.c", 3, target) == all);
  target.definition = definition;
  CHECK(functions_defined_at(all, "/x/a/f.c", 0, target) == Functions{0});
  CHECK(functions_defined_at(all, "b/f.c", 0, target) == Functions{1, 2});
  CHECK(functions_defined_at(all, "b/f.c", 9, target) == Functions{2});
  CHECK(functions_defined_at(all, "b/f.c", 7, target) == Functions{1, 2});
  CHECK(functions_defined_at(all, "f.c", 3, target) == Functions{0, 1});
  CHECK(functions_defined_at(all, "g.c", 9, target) == all);
  CHECK(functions_defined_at(Functions{4}, "b/f.c", 9, target) == Functions{4});
}
