// From switches of threads to waits: when one begins, when it ends, and in which slices it is.
#include "engine/import/thread_waits.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/profile/wait_metrics.h"

using namespace gprof;

namespace {

using Sign = ThreadWaits::Sign;

constexpr std::uint64_t ms = 1'000'000;
// The innermost places of stacks.
constexpr std::uint64_t here = 16;
constexpr std::uint64_t there = 24;
constexpr std::uint32_t threads = 4;

// What the profile says of the waits with one stack.
struct Waited {
  std::uint64_t total = 0;
  std::uint64_t times = 0;
  std::uint64_t longest = 0;
};
// What a thread has of them in a slice: its number, the slice, the time and how many end there.
using Part = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>;

struct Told {
  std::map<std::uint64_t, Waited> by_place;
  std::vector<Part> parts;
  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const auto& [place, waited] : by_place) sum += waited.total;
    return sum;
  }
};

Told told_by(const Profile& profile) {
  Told told;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<std::uint64_t, 2>> parts;
  for (Row row = 0; row < profile.metrics().size(); ++row) {
    const auto metric = waits_of_metric(profile.metrics()[row]);
    REQUIRE(metric);
    const Costs& costs = profile.costs(row);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Place& place = profile.places()[profile.stacks()[costs.stacks[i]].place];
      Waited& waited = told.by_place[place.address.value];
      auto& part = parts[{profile.threads()[costs.threads[i]].number, costs.slices[i]}];
      switch (metric->figure) {
        case WaitFigure::time:
          waited.total += costs.amounts[i];
          part[0] += costs.amounts[i];
          break;
        case WaitFigure::number:
          waited.times += costs.amounts[i];
          part[1] += costs.amounts[i];
          break;
        case WaitFigure::longest:
          waited.longest = std::max(waited.longest, costs.amounts[i]);
          break;
      }
    }
  }
  for (const auto& [key, part] : parts) {
    if (part[0] + part[1] > 0) told.parts.push_back({key.first, key.second, part[0], part[1]});
  }
  return told;
}

struct Waits {
  MemoryRoom room{std::uint64_t{1} << 20U};
  ProfileBuilder builder{room};
  ThreadWaits waits;
  PerfTimeline timeline{0, 1000 * ms};

  Row stack(std::uint64_t place) {
    const std::array places = {builder.place({.address = {place}}),
                               builder.place({.kind = PlaceKind::call, .address = {32}})};
    return builder.stack(places);
  }
  void out(std::uint32_t thread, std::uint64_t time, std::uint64_t place = here,
           bool waits_there = true) {
    waits.switch_out({thread, thread, time, waits_there, {}, stack(place)});
  }
  Told take(std::uint64_t end = 1000 * ms, bool tells_ends = true) {
    waits.finish(timeline, end, tells_ends);
    const Row run = builder.run({.path = "perf.data",
                                 .start = timeline.start,
                                 .slice_width = timeline.width,
                                 .slices = timeline.slices});
    std::vector<Row> rows;
    for (std::uint32_t number = 0; number <= threads; ++number) {
      rows.push_back(builder.thread({.process = builder.process({.run = run}), .number = number}));
    }
    waits.add_to(builder, rows, std::identity());
    const auto profile = builder.finish();
    REQUIRE(profile);
    CHECK(profile->costs_left_out() == 0);
    return told_by(*profile);
  }
};

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
  const Told told = made.take();
  REQUIRE(told.by_place.size() == 2);
  CHECK(told.by_place.at(here).times == 2);
  CHECK(told.by_place.at(here).total == 55 * ms);
  CHECK(told.by_place.at(here).longest == 50 * ms);
  CHECK(told.by_place.at(there).total == 10 * ms);
  CHECK(made.waits.guessed() == 0);
}

TEST_CASE("thread waits: who was preempted does not wait") {
  Waits made;
  made.out(1, 10 * ms, here, false);
  made.waits.note(Sign::switched_in, 1, 60 * ms);
  CHECK(made.take().by_place.empty());
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
  const Told told = made.take();
  CHECK(told.by_place.at(here).times == 4);
  CHECK(told.by_place.at(here).total == (10 + 7 + 3 + 5) * ms);
  CHECK(made.waits.waits() == 4);
  CHECK(made.waits.guessed() == 3);
}

TEST_CASE("thread waits: a switch in counts, whatever was sampled on the way out") {
  Waits made;
  made.out(1, 10 * ms);
  made.waits.note(Sign::ran, 1, 11 * ms);
  made.waits.note(Sign::woken, 1, 12 * ms);
  made.waits.note(Sign::switched_in, 1, 15 * ms);
  CHECK(made.take().total() == 5 * ms);
}

TEST_CASE("thread waits: those that go on wait until the recording ends") {
  Waits made;
  made.out(1, 400 * ms);
  CHECK(made.take(900 * ms).total() == 500 * ms);
  CHECK(made.waits.guessed() == 0);
}

TEST_CASE("thread waits: where no ends of threads are told, the last wait may be one") {
  Waits made;
  for (const std::uint32_t thread : {1U, 2U}) {
    made.out(thread, 100 * ms);
    if (thread == 1) made.waits.note(Sign::switched_in, thread, 150 * ms);
    if (thread == 2) made.waits.note(Sign::ran, thread, 170 * ms);
    made.out(thread, 200 * ms);
  }
  // Of the first it would be told when it went on.
  CHECK(made.take(300 * ms, false).total() == (50 + 100 + 70) * ms);
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
  const Told told = made.take();
  CHECK(told.parts == std::vector<Part>{{1, 0, width - width / 2, 0},
                                        {1, 1, width, 0},
                                        {1, 2, width, 0},
                                        {1, 3, width / 4, 1},
                                        {2, 0, width, 0},
                                        {2, 1, 8, 1}});
  CHECK(told.total() == (3 * width + width / 4 - width / 2) + (width + 1 + 7));
}

TEST_CASE("thread waits: numbers of threads outside of their namespace are translated") {
  Waits made;
  made.out(1, 10 * ms);
  made.waits.note_number(5001, 1);
  made.waits.note_numbered(Sign::switched_in, 5001, 40 * ms);
  // Another thread's, which is none of the namespace.
  made.waits.note_numbered(Sign::switched_in, 1, 20 * ms);
  CHECK(made.take().total() == 30 * ms);
  Waits same;
  same.out(1, 10 * ms);
  same.waits.note_number(1, 1);
  same.out(2, 10 * ms);
  same.waits.note_numbered(Sign::switched_in, 2, 30 * ms);
  same.waits.note_numbered(Sign::switched_in, 1, 20 * ms);
  CHECK(same.take().total() == 30 * ms);
}

TEST_CASE("amplification: of waits over many slices, parts are bounded") {
  Waits made;
  made.room = MemoryRoom(std::uint64_t{1} << 30U);
  constexpr std::uint32_t waiting = 1000;
  constexpr std::uint64_t end = std::uint64_t{1} << 50;
  made.timeline = PerfTimeline(0, end);
  const Row stack = made.stack(here);
  for (std::uint32_t thread = 1; thread <= waiting; ++thread) {
    made.waits.switch_out({thread, 1, 1, true, {}, stack});
    made.waits.note(Sign::switched_in, thread, end - 1);
  }
  const Told told = made.take(end);
  CHECK(told.by_place.at(here).total == waiting * (end - 2));
  // All are of one thread here, so that those of the same slice are one.
  CHECK(told.parts.size() <= gprof_formats::most_slices + 1);
  CHECK(std::get<1>(told.parts.back()) == no_time_slice);
}
