// Threads and slices of time in sums of sidecars.
#include <map>
#include <random>

#include <catch2/catch.hpp>

#include "engine/gmon/sidecar_sum.h"
#include "formats/gmon_rules.h"
#include "tests/support/test_seed.h"

using namespace gprof;

namespace {

constexpr std::uint64_t millisecond = 1'000'000;

Sidecar run_at(std::uint64_t start, std::uint64_t end, std::uint32_t process) {
  Sidecar run;
  run.machine = 62;
  run.process.process = process;
  run.process.process_start = process;
  run.process.start_time = start;
  run.process.end_time = end;
  run.process.requested_rate = 100;
  run.modules = {{0, {{0x1000}, {0x9000}}, 1, "/opt/program", "program", "", "gmon.out"}};
  run.threads = {{process, false, 3, 4, 4, 5, "main", 0, start},
                 {process + 1, true, 1, 2, 2, 3, "worker", 0, start}};
  run.samples = {{{0, {5}}, 10, 4}, {{0, {7}}, 6}};
  run.sample_parts = {{0, 0, 0, 4, 4}, {0, 1, 5, 6}, {1, 1, 5, 2}, {1, 1, no_slice, 1}};
  run.arcs = {{{0, {1}}, {0, {2}}, {}, 0, {}, 0, 10}};
  run.arc_parts = {{0, 0, no_slice, 3}, {0, no_thread, no_slice, 7}};
  run.stacks = {{10, false, {{0, {5}}, {0, {1}}}}};
  run.stack_parts = {{0, 0, 0, 4}, {0, 1, 5, 6}};
  run.slice_width = millisecond;
  run.slices = 6;
  return run;
}

Sidecar sum_of(const std::vector<Sidecar>& runs) {
  SidecarSum sum("gmon.sum");
  for (const Sidecar& run : runs) REQUIRE(sum.add(run, "gmon.out", "gmon.out.gpx"));
  Sidecar total = sum.take();
  const auto written = write_sidecar(total);
  REQUIRE(written);
  CHECK(*read_sidecar(*written, "gmon.sum.gpx") == total);
  return total;
}

}  // namespace

TEST_CASE("sidecar sum: each thread keeps its process and its parts") {
  Sidecar second = run_at(100, 200, 20);
  second.samples[0].place.address = {6};  // another place, between the others
  const Sidecar sum = sum_of({run_at(0, 90, 10), second});
  REQUIRE(sum.threads.size() == 4);
  CHECK(sum.threads[1].process == 10);
  CHECK(sum.threads[2].process == 20);
  CHECK(sum.threads[3].name == "worker");
  REQUIRE(sum.samples.size() == 3);
  CHECK(sum.sample_parts == std::vector<SidecarPart>{{0, 0, 0, 4, 4},
                                                     {0, 1, 5, 6},
                                                     {1, 2, 0, 4, 4},
                                                     {1, 3, 5, 6},
                                                     {2, 1, 5, 2},
                                                     {2, 1, no_slice, 1},
                                                     {2, 3, 5, 2},
                                                     {2, 3, no_slice, 1}});
  CHECK(sum.arc_parts == std::vector<SidecarPart>{{0, 0, no_slice, 3},
                                                  {0, 2, no_slice, 3},
                                                  {0, no_thread, no_slice, 14}});
  CHECK(sum.stack_parts.size() == 4);
  CHECK(sum.slice_width == millisecond);
  CHECK(sum.slices == 6);
  // A sum of sums keeps the processes.
  CHECK(sum_of({sum, run_at(300, 400, 30)}).threads[0].process == 10);
}

TEST_CASE("sidecar sum: time in the kernel adds up, and is known if each run knows it") {
  Sidecar marked = run_at(0, 90, 10);
  marked.process.flags = process_flags::marks_kernel_time | process_flags::with_stacks;
  marked.samples[0].kernel_count = 7;
  marked.sample_parts[0].kernel_count = 1;
  marked.sample_parts[1].kernel_count = 6;
  Sidecar second = marked;
  second.process.flags = process_flags::marks_kernel_time | process_flags::forked;
  const Sidecar sum = sum_of({marked, second});
  CHECK(sum.process.flags ==
        (process_flags::marks_kernel_time | process_flags::with_stacks | process_flags::forked));
  CHECK(sum.samples[0].kernel_count == 14);
  REQUIRE(sum.sample_parts.size() == 8);
  CHECK(sum.sample_parts[1].kernel_count == 6);
  const Sidecar partly = sum_of({marked, run_at(100, 200, 20), second});
  CHECK(partly.process.flags == (process_flags::with_stacks | process_flags::forked));
}

TEST_CASE("sidecar sum: processes of one recording keep their distances") {
  const std::uint64_t second = 1000 * millisecond;
  Sidecar parent = run_at(second, 10 * second, 10);
  Sidecar child = run_at(3 * second, 4 * second, 20);
  child.slice_width = 4 * millisecond;
  // Another recording, which begins at 0 as well, and two processes of it, one after the other.
  Sidecar first = run_at(1000 * second, 1001 * second, 30);
  Sidecar next = run_at(1002 * second, 1003 * second, 31);
  first.process.recorded_process = next.process.recorded_process = 29;
  const Sidecar sum = sum_of({next, child, parent, first});
  CHECK(sum.slice_width == 4 * millisecond);
  const auto slice_of = [&](std::uint32_t process) {
    for (const SidecarPart& part : sum.sample_parts) {
      if (part.whole == 0 && sum.threads[part.thread].thread == process) return part.slice;
    }
    return no_slice;
  };
  CHECK(slice_of(10) == 0);
  CHECK(slice_of(20) == 500);
  CHECK(slice_of(30) == 0);
  CHECK(slice_of(31) == 500);
  CHECK(sum.slices == 506);
}

TEST_CASE("sidecar sum: slices are as wide as the longest recording asks for") {
  Sidecar late = run_at(8000 * millisecond, 9000 * millisecond, 20);
  const Sidecar sum = sum_of({run_at(0, 9000 * millisecond, 10), late});
  CHECK(sum.slice_width == 2 * millisecond);
  CHECK(sum.slices == 4003);
  Sidecar absurd = run_at(std::uint64_t{1} << 60U, std::uint64_t{1} << 61U, 20);
  absurd.slice_width = std::uint64_t{1} << 50U;
  absurd.slices = 4096;
  Sidecar longer = run_at(0, ~std::uint64_t{0}, 10);
  const Sidecar without = sum_of({longer, absurd});
  CHECK(without.slices == 0);
  CHECK(without.sample_parts.size() == 6);
}

TEST_CASE("sidecar sum: runs without parts add up with those that have some") {
  Sidecar old = run_at(0, 90, 10);
  old.sample_parts.clear();
  old.arc_parts.clear();
  old.stack_parts.clear();
  old.slice_width = old.slices = 0;
  const Sidecar sum = sum_of({old, run_at(100, 200, 20)});
  CHECK(sum.samples[0].count == 20);
  CHECK(sum.sample_parts.size() == 4);
  CHECK(sum.sample_parts[0].thread == 2);
}

TEST_CASE("sidecar sum: over any runs, parts are conserved by place and thread") {
  std::mt19937_64 random(test_seed(23));
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  for (int round = 0; round < 200; ++round) {
    std::vector<Sidecar> runs;
    // By address of the place and the thread's number.
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> expected;
    for (std::uint64_t i = 0; i <= below(5); ++i) {
      const std::uint64_t start = below(20'000) * millisecond;
      const auto process = static_cast<std::uint32_t>(100 * (i + 1));
      Sidecar run = run_at(start, start + below(10'000) * millisecond, process);
      run.slice_width = millisecond << below(5);
      run.slices = static_cast<std::uint32_t>(1 + below(4096));
      run.samples.clear();
      run.sample_parts.clear();
      run.stacks.clear();
      run.stack_parts.clear();
      for (std::uint32_t place = 0; place < 4; ++place) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> parts;
        for (std::uint64_t j = below(6); j > 0; --j) {
          const auto slice = static_cast<std::uint32_t>(below(run.slices));
          parts[{static_cast<std::uint32_t>(below(2)), slice}] += 1 + below(9);
        }
        const std::uint64_t address = 2 * place + below(2);
        std::uint64_t count = below(3);
        for (const auto& [key, part] : parts) {
          run.sample_parts.push_back({place, key.first, key.second, part, 0});
          expected[{address, process + key.first}] += part;
          count += part;
        }
        run.samples.push_back({{0, {address}}, count, 0});
      }
      runs.push_back(run);
    }
    const Sidecar sum = sum_of(runs);
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> found;
    for (const SidecarPart& part : sum.sample_parts) {
      CHECK(part.slice < sum.slices);
      found[{sum.samples[part.whole].place.address.value, sum.threads[part.thread].thread}] +=
          part.count;
    }
    CHECK(found == expected);
  }
}
