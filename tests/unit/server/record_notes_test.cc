// What processes note for `gprof-lsp record`.
#include "server/cli/record/record_notes.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof::lsp;
using namespace std::string_literals;

TEST_CASE("notes are lines; what is none is skipped") {
  const Notes notes = parse_notes(
      "problem 12 cannot write: no space\n\0\0left-out libc /a b/c\nleft-out who /x\n\n"
      "problem x text\nproblem 7\nunknown 1 2\nleft-out root /y\nproblem 1 cut"s);
  REQUIRE(notes.problems.size() == 1);
  CHECK(notes.problems[0].process == 12);
  CHECK(notes.problems[0].text == "cannot write: no space");
  REQUIRE(notes.left_out.size() == 2);
  CHECK(notes.left_out[0].path == "/a b/c");
  CHECK(notes.left_out[0].why == WhyLeftOut::libc);
  CHECK(notes.left_out[1].why == WhyLeftOut::root);
}

TEST_CASE("programs that were left out are named once, by reason") {
  CHECK(describe_left_out_programs({}).empty());
  CHECK(describe_left_out_programs({{"/bin/a", WhyLeftOut::libc}, {"/b/a", WhyLeftOut::libc}}) ==
        "started without the collector: a (another C library than glibc)");
  std::vector<LeftOutProgram> many = {{"x", WhyLeftOut::machine}};
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) many.push_back({name, WhyLeftOut::root});
  CHECK(describe_left_out_programs(many) ==
        "started without the collector: x (for another kind of processor); a, b, c, d and 2 others "
        "(the collector's file is out of its reach)");
}

TEST_CASE("problems are reported by whether the process left a profile") {
  Notes notes;
  notes.problems = {{7, "first"}, {7, "last"}, {8, "other"}};
  CHECK(problem_of(notes, 7) == "last");
  CHECK(problem_of(notes, 9).empty());
  FoundProfile profile;
  profile.process = 7;
  CHECK(describe_problems(notes, {profile}, 7) ==
        "no profile of a process, where the collector reported: other");
  CHECK(describe_problems(notes, {}, 7) ==
        "no profile of 2 processes, where the collector reported: first");
  // The profile is of what the process ran before it executed the program that was not sampled.
  CHECK(describe_problems(notes, {profile}, 6) ==
        "no profile of a process, where the collector reported: other; "
        "incomplete profile of a process, where the collector reported: first");
  profile.process = 8;
  CHECK(describe_problems({}, {profile}, 7).empty());
}

TEST_CASE("the page gives what was noted once") {
  NotesPage page;
  if (page.number().empty()) return;  // no shared memory here
  CHECK(page.take().problems.empty());
}
