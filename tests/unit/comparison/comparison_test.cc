// Functions of two builds of one program: matched, compared, ranked.
#include "engine/comparison/comparison.h"

#include <fmt/format.h>

#include "engine/comparison/function_matches.h"
#include "tests/support/files.h"
#include "tests/unit/analysis/profiled_source.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

std::shared_ptr<const Program> compiled(const fs::path& folder, const std::string& name,
                                        const std::vector<std::string>& texts) {
  fs::create_directories(folder / name);
  std::vector<std::string> command = {"gcc", "-g", "-O1", "-pg"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string source = fmt::format("part{}.c", i);
    write_file(folder / name / source, texts[i]);
    command.push_back(source);
  }
  command.insert(command.end(), {"-o", "program"});
  run_or_fail(command, folder / name);
  auto program = Program::open(folder / name / "program");
  INFO((program ? "" : describe(program.error())));
  REQUIRE(program);
  return *program;
}

std::string local_function(const std::string& name) {
  return "volatile int sink;\n__attribute__((noinline,noclone)) static void local(void) { sink++; "
         "}\nvoid " +
         name + "(void) { local(); }\n";
}

std::string main_calling(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "void " + name + "(void);\n";
  text += "int main(void) {\n";
  for (const std::string& name : names) text += "  " + name + "();\n";
  return text + "  return 0;\n}\n";
}

std::string file_of(const Program& program, SymbolIndex symbol) {
  const auto declared = program.sources().declaration(symbol);
  REQUIRE(declared);
  return fs::path(program.sources().path(declared->file)).filename().string();
}

}  // namespace

TEST_CASE("paths are compared from their ends") {
  CHECK(common_end("/a/b/c.c", "/x/b/c.c") == 2);
  CHECK(common_end("c.c", "/x/b/c.c") == 1);
  CHECK(common_end("/a/b.c", "/a/c.c") == 0);
  CHECK(common_end("", "/a") == 0);
  CHECK(common_end("/a/b", "/a/b") >= 2);
}

TEST_CASE("functions of one name are matched by the files that declare them") {
  if (!have_programs({"gcc"})) return;
  const fs::path folder = fresh_directory("comparison_matches");
  // Global functions with the same name cannot be linked.
  auto own = [](std::string text, const std::string& sink) {
    for (std::size_t at = 0; (at = text.find("sink", at)) != std::string::npos; at += sink.size()) {
      text.replace(at, 4, sink);
    }
    return text;
  };
  const auto before =
      compiled(folder, "old",
               {main_calling({"one", "two", "gone"}), own(local_function("one"), "s1"),
                own(local_function("two"), "s2"), "void gone(void) {}\n"});
  const auto after =
      compiled(folder, "new",
               {main_calling({"one", "two", "added"}), "\n\n" + own(local_function("one"), "s1"),
                own(local_function("two"), "s2"), "void added(void) {}\n"});
  int locals = 0;
  bool found_gone = false;
  bool found_added = false;
  for (const FunctionMatch& match : match_functions(*before, *after)) {
    const std::string_view old_name =
        match.before == no_symbol ? "" : before->symbols()[match.before].name;
    const std::string_view new_name =
        match.after == no_symbol ? "" : after->symbols()[match.after].name;
    found_gone = found_gone || (old_name == "gone" && new_name.empty());
    found_added = found_added || (new_name == "added" && old_name.empty());
    if (old_name != "local" && new_name != "local") continue;
    ++locals;
    CHECK(old_name == new_name);
    if (old_name != new_name) continue;
    CHECK(file_of(*before, match.before) == file_of(*after, match.after));
  }
  CHECK(locals == 2);
  CHECK(found_gone);
  CHECK(found_added);
}

TEST_CASE("calls are exact, and depend on the run where runs differ") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("comparison_calls");
  auto run_with = [&](unsigned calls, const std::string& name) {
    source.write(calls);
    source.compile({"gcc", "-g", "-O0", "-pg"}, name);
    run_or_fail({(source.directory / name).string()}, source.directory);
    fs::rename(source.profile(), source.directory / (name + ".gmon"));
    AnalysisRequest request;
    request.executable = source.directory / name;
    request.profiles = {source.directory / (name + ".gmon")};
    return analyse_or_fail(request);
  };
  const auto three = run_with(3, "three");
  const auto five = run_with(5, "five");
  ComparedSide before(three->program());
  ComparedSide after(five->program());
  REQUIRE(before.add(*three));
  REQUIRE(after.add(*five));
  const auto comparison = Comparison::make(before, after);
  REQUIRE(comparison);
  const auto symbol = five->symbols().find_by_name("f7");
  REQUIRE(symbol);
  const ComparedFunction* function = comparison->find_after(*symbol);
  REQUIRE(function != nullptr);
  CHECK(function->calls.verdict == CallsVerdict::more);
  CHECK(function->calls.difference() == 2);
  CHECK_FALSE(comparison->variance_known());

  // A side with several consistent runs.
  ComparedSide mixed(three->program());
  REQUIRE(mixed.add(*three));
  REQUIRE(mixed.add(*run_with(3, "three")));
  const auto again = Comparison::make(before, mixed);
  REQUIRE(again);
  const ComparedFunction* same = again->find_after(*three->symbols().find_by_name("f7"));
  REQUIRE(same != nullptr);
  CHECK(same->calls.verdict == CallsVerdict::same);

  const std::vector<SymbolIndex> both = {*symbol, *five->symbols().find_by_name("f8")};
  const auto together = comparison->together(both);
  REQUIRE(together);
  CHECK(together->calls.difference() == 4);
}
