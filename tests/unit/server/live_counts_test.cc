#include "server/discovery/live_counts.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/live_builder.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A live file of process 4711, started at 99, with a clock of its own.
struct Process {
  fs::path file = work_directory() / "live-counts" / "gmon.live.4711";
  std::chrono::steady_clock::time_point now{std::chrono::seconds(100)};
  std::uint64_t started = 99;
  bool runs = true;
  LiveCounts counts{[this] { return now; },
                    [this](std::uint32_t process, std::uint64_t start) {
                      return runs && process == 4711 && (start == 0 || start == started);
                    }};

  Process() {
    fs::create_directories(file.parent_path());
    fs::remove(file);
  }
  ~Process() { fs::remove_all(file.parent_path()); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void count(std::uint64_t first, std::uint64_t second, std::uint32_t state = 1) const {
    LiveDescription live;
    live.header.state = state;
    live.module({0, 0x1000, 0x2000, 0x1000, 0x2000, 0, 0, gprof::test::still_loaded, 3, "", "prog",
                 "/opt/prog"});
    live.arcs(0, {{0x1010, 0x1100, first}, {0x1020, 0x1200, second}});
    write_file(file, build_live(live));
  }
  // After one second.
  LiveLook look(milliseconds later = milliseconds(1000)) {
    now += later;
    auto found = counts.look(file);
    REQUIRE(found);
    return *found;
  }
};

std::uint64_t calls(const LiveLook& look) {
  std::uint64_t all = 0;
  REQUIRE(look.counters);
  for (const LiveCall& call : look.counters->calls) all += call.count;
  return all;
}

}  // namespace

TEST_CASE("each look at a running program shows what it counted") {
  Process process;
  CHECK_FALSE(process.counts.look(process.file));
  write_file(process.file, std::vector<std::byte>(8192));
  CHECK(process.look().stage == LiveStage::beginning);
  process.count(1, 2);
  const LiveLook first = process.look();
  CHECK(first.stage == LiveStage::running);
  CHECK(calls(first) == 3);
  CHECK(first.profile_name == "gmon.out");
  process.count(5, 6);
  CHECK(calls(process.look(milliseconds(100))) == 3);
  const LiveLook second = process.look();
  CHECK(calls(second) == 11);
  CHECK(second.stamp != first.stamp);
  const LiveLook third = process.look();
  CHECK(third.stamp == second.stamp);
  CHECK(third.counters == second.counters);
}

TEST_CASE("no look shows less than the one before, but where the program has reset its counts") {
  Process process;
  process.count(10, 20);
  CHECK(calls(process.look()) == 30);
  // The second count is being moved; the first has grown by more than that.
  process.count(100, 0);
  CHECK(calls(process.look()) == 30);
  process.count(101, 20);
  CHECK(calls(process.look()) == 121);
  process.count(1, 0);
  CHECK(calls(process.look()) == 121);
  process.count(2, 0);
  CHECK(calls(process.look()) == 2);
}

TEST_CASE("the counts of a process that was killed stay, and it is known soon") {
  Process process;
  process.count(1, 2);
  CHECK_FALSE(process.look().stage == LiveStage::killed);
  process.runs = false;
  process.count(4, 5);
  // Its recorder may be about to write the profile.
  CHECK(process.look().stage == LiveStage::running);
  CHECK(process.look(milliseconds(600)).stage == LiveStage::running);
  const LiveLook ended = process.look();
  CHECK(ended.stage == LiveStage::killed);
  CHECK(ended.was_seen_running);
  CHECK(calls(ended) == 9);
}

TEST_CASE("remains are known as such, though the number of their process is used again") {
  Process process;
  process.count(1, 2);
  process.started = 12345;
  const LiveLook look = process.look();
  CHECK(look.stage == LiveStage::killed);
  CHECK_FALSE(look.was_seen_running);
}

TEST_CASE("a program that has written its profile is no longer live") {
  Process process;
  process.count(1, 2);
  CHECK(process.look().stage == LiveStage::running);
  process.count(1, 2, 2);
  CHECK(process.look().stage == LiveStage::finished);
  fs::remove(process.file);
  process.now += milliseconds(1000);
  CHECK_FALSE(process.counts.look(process.file));
}

TEST_CASE("what was read of a live file outlives its damage") {
  Process process;
  process.count(1, 2);
  CHECK(calls(process.look()) == 3);
  SECTION("in place") { fs::resize_file(process.file, 1000); }
  SECTION("by another file") {
    const fs::path other = process.file.parent_path() / "other";
    write_file(other, std::vector<std::byte>(5000, std::byte{'x'}));
    fs::rename(other, process.file);
  }
  const LiveLook damaged = process.look();
  CHECK(damaged.trouble);
  CHECK(damaged.stage == LiveStage::running);
  CHECK(calls(damaged) == 3);
  process.runs = false;
  (void)process.look();
  CHECK(process.look(milliseconds(2000)).stage == LiveStage::killed);
}
