#include "server/discovery/profile_names.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/discovery/program_names.h"

using namespace gprof::lsp;

TEST_CASE("names that collectors give to profiles") {
  for (const char* name :
       {"gmon.out", "gmon.sum", "gmon.out.1", "gmon.out.4711.2", "callgrind.out.12",
        "callgrind.out.12.3", "callgrind.out.12-01", "perf.data", "perf.data.old", "cpu.pb.gz",
        "heap.pprof", "prog.folded", "perf.data.gz", "callgrind.out.12-01.xz", "prog.folded.zst",
        "gmon.out.gz"}) {
    CAPTURE(name);
    CHECK(is_profile_name(name));
  }
  for (const char* name :
       {"gmon.out.", "gmon.out.x", "gmon.out.1x", "gmon.out.1.2.3", "gmon.out2", "gmon.out.gpx",
        "gmon.out.libx.so.1", "gmon", "", "a.out", "callgrind.out", "callgrind.out.x",
        "callgrind.out.1-", "callgrind.out.1-x", "cpu.pb", "x.gz", "prog.folded.1"}) {
    CAPTURE(name);
    CHECK_FALSE(is_profile_name(name));
  }
  CHECK(may_be_profile_name("run.4711"));
  CHECK(may_be_profile_name("libx.so.1"));
  CHECK_FALSE(may_be_profile_name("main.c"));
  CHECK_FALSE(may_be_profile_name(".1"));
  CHECK_FALSE(may_be_profile_name(".gmon.out.12.tmp"));
}

TEST_CASE("the file in a folder that perf recorded to") {
  CHECK(is_in_perf_folder("/w/perf.data/data"));
  CHECK(is_in_perf_folder("/w/perf.data.old/data"));
  CHECK_FALSE(is_in_perf_folder("/w/perf.data/data.0"));
  CHECK_FALSE(is_in_perf_folder("/w/perf/data"));
  CHECK_FALSE(is_in_perf_folder("data"));
  CHECK(is_part_of_perf_folder("/w/perf.data/data"));
  CHECK(is_part_of_perf_folder("/w/perf.data/data.12"));
  CHECK_FALSE(is_part_of_perf_folder("/w/perf.data/data.x"));
  CHECK_FALSE(is_part_of_perf_folder("/w/perf.data/header"));
  CHECK_FALSE(is_part_of_perf_folder("/w/other/data.0"));
}

TEST_CASE("callgrind's files of one run") {
  for (const char* name : {"callgrind.out.12", "callgrind.out.12.3", "callgrind.out.12-01",
                           "callgrind.out.12.3-01", "callgrind.out.12-01.gz"}) {
    CAPTURE(name);
    CHECK(callgrind_run(name) == "callgrind.out.12");
  }
  for (const char* name :
       {"callgrind.out", "callgrind.out.x", "gmon.out.12", "", "callgrind.out."}) {
    CAPTURE(name);
    CHECK(callgrind_run(name).empty());
  }
}

TEST_CASE("names that the collector gives to the profile of a process") {
  for (const char* name :
       {"gmon.out", "gmon.out.12", "gmon.out.12.3", "run.12", "run.12.3", "a b.12", "run.7.12"}) {
    CAPTURE(name);
    CHECK(is_collected_name(name, 12));
  }
  for (const char* name :
       {"", ".", "..", "Makefile", "gmon.out.", "gmon.out.1", "gmon.out.120", "gmon.out.gpx", ".12",
        ".12.3", "12", "run.12.", "run.12.x", "run.12.3.4", "main.c", "run.112"}) {
    CAPTURE(name);
    CHECK_FALSE(is_collected_name(name, 12));
  }
}

TEST_CASE("what lies beside a profile") {
  CHECK(library_part("gmon.out.libx.so.1", "gmon.out") == "libx.so.1");
  CHECK(library_part("run.12.libx.so", "run.12") == "libx.so");
  for (const char* name : {"gmon.out", "gmon.out.", "gmon.out.12", "gmon.out.12.1", "gmon.out.gpx",
                           "gmon.out.12.gpx", "gmon.out.gz", "other.libx.so"}) {
    CAPTURE(name);
    CHECK(library_part(name, "gmon.out").empty());
  }
  CHECK(sidecar_path("/a/gmon.out") == "/a/gmon.out.gpx");
  CHECK(profile_of_sidecar("/a/gmon.out.gpx") == "/a/gmon.out");
  CHECK(profile_of_sidecar("/a/gmon.out").empty());
}

TEST_CASE("programs have names that tell them apart") {
  using Names = std::vector<std::string>;
  CHECK(distinct_names({"/w/a/prog", "/w/b/tool"}) == Names{"prog", "tool"});
  CHECK(distinct_names({"/w/a/prog", "/w/b/prog", "/w/b/tool"}) ==
        Names{"a/prog", "b/prog", "tool"});
  CHECK(distinct_names({"/x/b/prog", "/y/b/prog"}) == Names{"x/b/prog", "y/b/prog"});
  CHECK(distinct_names({"/prog", "/b/prog"}) == Names{"/prog", "b/prog"});
  CHECK(distinct_names({"/w/prog", "/w/prog"}).size() == 2);
  CHECK(distinct_names({}).empty());
}
