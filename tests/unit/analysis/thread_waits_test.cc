// From switches of threads to waits: when one begins, when it ends, and in which slices it is.
#include "engine/import/thread_waits.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/gmon/sidecar_parts.h"

using namespace gprof;

namespace {

using Sign = ThreadWaits::Sign;

constexpr std::uint64_t ms = 1'000'000;
const std::vector<ModuleAddress> here = {{1, {16}}, {0, {32}}};
const std::vector<ModuleAddress> there = {{1, {24}}, {0, {48}}};

struct Waits {
  ThreadWaits waits;
  PerfTimeline timeline{0, 1000 * ms};

  void out(std::uint32_t thread, std::uint64_t time,
           const std::vector<ModuleAddress>& frames = here, bool waits_there = true) {
    waits.switch_out({thread, thread - 1, time, waits_there, true, {}, frames});
  }
  Sidecar take(std::uint64_t end = 1000 * ms) {
    waits.finish(timeline, end);
    Sidecar sidecar;
    sidecar.modules.resize(2);
    sidecar.threads.resize(4);
    sidecar.slice_width = timeline.width;
    sidecar.slices = timeline.slices;
    waits.give_to(sidecar);
    // As strict as the file's reader.
    std::vector<WholeCount> wholes;
    for (const SidecarWait& wait : sidecar.waits) wholes.push_back(count_of_whole(wait));
    CHECK_FALSE(find_problem(sidecar.waits, sidecar.wait_stacks.size()));
    CHECK_FALSE(find_problem(sidecar.wait_parts, wholes, sidecar));
    return sidecar;
  }
};

std::uint64_t total_of(const Sidecar& sidecar) {
  std::uint64_t total = 0;
  for (const SidecarWait& wait : sidecar.waits) total += wait.total;
  std::uint64_t of_parts = 0;
  for (const SidecarPart& part : sidecar.wait_parts) of_parts += part.count;
  CHECK(of_parts == total);
  return total;
}

}  // namespace

TEST_CASE("thread waits: from out to in, whatever order they are told in") {
  Waits made;
  made.waits.note(Sign::switched_in, 1, 80 * ms);
  made.out(1, 70 * ms, there);
  made.out(1, 10 * ms);
  made.waits.note(Sign::ran, 2, 40 * ms);
  made.waits.note(Sign::switched_in, 1, 60 * ms);
  made.out(2, 30 * ms);
  made.waits.note(Sign::switched_in, 2, 35 * ms);
  const Sidecar sidecar = made.take();
  REQUIRE(sidecar.waits.size() == 2);
  CHECK(sidecar.wait_stacks[0].frames == here);
  CHECK(sidecar.wait_stacks[0].count == 55 * ms);
  CHECK(sidecar.waits[0].times == 2);
  CHECK(sidecar.waits[0].total == 55 * ms);
  CHECK(sidecar.waits[0].longest == 50 * ms);
  CHECK(sidecar.waits[1].total == 10 * ms);
  CHECK(sidecar.wait_stacks[1].frames == there);
  CHECK(total_of(sidecar) == 65 * ms);
  CHECK(made.waits.guessed() == 0);
}

TEST_CASE("thread waits: who was preempted does not wait") {
  Waits made;
  made.out(1, 10 * ms, here, false);
  made.waits.note(Sign::switched_in, 1, 60 * ms);
  CHECK(made.take().waits.empty());
  CHECK(made.waits.empty());
}

TEST_CASE("thread waits: without a switch in, up to the waking, else to the next sign of life") {
  Waits made;
  made.out(1, 10 * ms);
  made.waits.note(Sign::woken, 1, 20 * ms);
  made.waits.note(Sign::ran, 1, 22 * ms);
  made.out(1, 30 * ms);
  // On the way out still.
  made.waits.note(Sign::ran, 1, 30 * ms + 5'000);
  made.waits.note(Sign::ran, 1, 37 * ms);
  made.waits.note(Sign::ran, 1, 38 * ms);
  made.out(1, 40 * ms, here, false);
  made.out(1, 50 * ms);
  made.out(1, 53 * ms);
  made.waits.note(Sign::ended, 1, 58 * ms);
  made.waits.note(Sign::ended, 1, 59 * ms);
  const Sidecar sidecar = made.take();
  REQUIRE(sidecar.waits.size() == 1);
  CHECK(sidecar.waits[0].times == 4);
  CHECK(sidecar.waits[0].total == (10 + 7 + 3 + 5) * ms);
  CHECK(made.waits.waits() == 4);
  CHECK(made.waits.guessed() == 3);
}

TEST_CASE("thread waits: a switch in counts, whatever was sampled on the way out") {
  Waits made;
  made.out(1, 10 * ms);
  made.waits.note(Sign::ran, 1, 11 * ms);
  made.waits.note(Sign::woken, 1, 12 * ms);
  made.waits.note(Sign::switched_in, 1, 15 * ms);
  CHECK(total_of(made.take()) == 5 * ms);
}

TEST_CASE("thread waits: those that go on wait until the recording ends") {
  Waits made;
  made.out(1, 400 * ms);
  CHECK(total_of(made.take(900 * ms)) == 500 * ms);
  CHECK(made.waits.guessed() == 0);
}

TEST_CASE("thread waits: where no ends of threads are told, the last wait may be one") {
  ThreadWaits waits;
  const PerfTimeline timeline(0, 1000 * ms);
  for (const std::uint32_t thread : {1U, 2U}) {
    waits.switch_out({thread, 0, 100 * ms, true, true, {}, here});
    if (thread == 1) waits.note(Sign::switched_in, thread, 150 * ms);
    if (thread == 2) waits.note(Sign::ran, thread, 170 * ms);
    waits.switch_out({thread, 0, 200 * ms, true, true, {}, here});
  }
  waits.finish(timeline, 300 * ms, false);
  Sidecar sidecar;
  waits.give_to(sidecar);
  // Of the first it would be told when it went on.
  CHECK(total_of(sidecar) == (50 + 100 + 70) * ms);
}

TEST_CASE("thread waits: a wait is in all slices that it covers, and counts where it ends") {
  Waits made;
  made.timeline = PerfTimeline(100 * ms, 1000 * ms);
  const std::uint64_t width = made.timeline.width;
  const std::uint64_t start = 100 * ms;
  made.out(1, start + width / 2);
  made.waits.note(Sign::switched_in, 1, start + 3 * width + width / 4);
  // It began before the first slice.
  made.out(2, start - 7);
  made.waits.note(Sign::switched_in, 2, start + width + 1);
  const Sidecar sidecar = made.take();
  REQUIRE(sidecar.wait_parts.size() == 6);
  const auto part = [&](std::uint32_t thread, std::uint32_t slice, std::uint64_t time,
                        std::uint64_t ended) {
    return SidecarPart{0, thread, slice, time, ended};
  };
  const std::vector<SidecarPart> of_first(sidecar.wait_parts.begin(),
                                          sidecar.wait_parts.begin() + 4);
  CHECK(of_first == std::vector<SidecarPart>{part(0, 0, width - width / 2, 0), part(0, 1, width, 0),
                                             part(0, 2, width, 0), part(0, 3, width / 4, 1)});
  CHECK(sidecar.wait_parts[4].thread == 1);
  CHECK(total_of(sidecar) == (3 * width + width / 4 - width / 2) + (width + 1 + 7));
}

TEST_CASE("thread waits: numbers of threads outside of their namespace are translated") {
  Waits made;
  made.out(1, 10 * ms);
  made.waits.note_number(5001, 1);
  made.waits.note_numbered(Sign::switched_in, 5001, 40 * ms);
  // Another thread's, which is none of the namespace.
  made.waits.note_numbered(Sign::switched_in, 1, 20 * ms);
  CHECK(total_of(made.take()) == 30 * ms);
  Waits same;
  same.out(1, 10 * ms);
  same.waits.note_number(1, 1);
  same.out(2, 10 * ms);
  same.waits.note_numbered(Sign::switched_in, 2, 30 * ms);
  same.waits.note_numbered(Sign::switched_in, 1, 20 * ms);
  CHECK(total_of(same.take()) == 30 * ms);
}

TEST_CASE("amplification: of waits over many slices, parts are bounded") {
  Waits made;
  constexpr std::uint32_t threads = 1000;
  constexpr std::uint64_t end = std::uint64_t{1} << 50;
  made.timeline = PerfTimeline(0, end);
  for (std::uint32_t thread = 1; thread <= threads; ++thread) {
    made.waits.switch_out({thread, 0, 1, true, true, {}, here});
    made.waits.note(Sign::switched_in, thread, end - 1);
  }
  made.waits.finish(made.timeline, end);
  Sidecar sidecar;
  made.waits.give_to(sidecar);
  REQUIRE(sidecar.waits.size() == 1);
  CHECK(sidecar.waits[0].total == threads * (end - 2));
  // All are of one thread here, so that those of the same slice are one.
  CHECK(sidecar.wait_parts.size() <= gprof_formats::most_slices + 1);
  CHECK(sidecar.wait_parts.back().slice == no_slice);
  CHECK(total_of(sidecar) == sidecar.waits[0].total);
}
