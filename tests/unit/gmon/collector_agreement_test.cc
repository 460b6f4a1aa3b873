// The collector writes the profile of a program that ends, collect_profile() that of one that runs
// or was killed. Both have to make the same files of the same counters, whatever these are.
#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/gmon/collected_profile.h"
#include "engine/gmon/writer.h"
#include "engine/support/input_file.h"
#include "formats/live_file.h"
#include "tests/support/collector_child.h"
#include "tests/support/live_builder.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;
namespace fs = std::filesystem;
namespace stack_mark = gprof_formats::stack_mark;

namespace {

constexpr std::uint64_t program_bias = 0x5555'0000'0000;
constexpr std::uint64_t library_bias = 0x7fff'1000'0000;
constexpr std::uint64_t last_epoch = 3;

// A module of which `size` bytes are text, which begins 0x1000 behind `bias`.
LiveDescription::Module module_at(std::uint64_t bias, std::uint64_t size, std::string soname,
                                  std::string path) {
  return {bias,         bias, bias + 0x2000 + size, bias + 0x1000,     bias + 0x1000 + size, 0, 0,
          still_loaded, 0,    soname + " build",    std::move(soname), std::move(path)};
}

LiveDescription::Module between(LiveDescription::Module module, std::uint64_t load,
                                std::uint64_t unload) {
  module.load_epoch = load;
  module.unload_epoch = unload;
  return module;
}

LiveDescription::Module counting(LiveDescription::Module module, std::uint32_t flags) {
  module.flags = flags;
  module.init_address = module.text_low;
  return module;
}

// Libraries come and go: two have the same soname, one is loaded twice and turns out to count more,
// and one is loaded where another one was.
std::vector<LiveDescription::Module> described_modules(std::uint64_t text_size) {
  const std::uint32_t calls = module_flags::profiled;
  const auto library = [](std::uint64_t where) {
    return module_at(library_bias + where, 0x3001, "libone.so", "/opt/libone.so");
  };
  return {
      counting(between(library(0), 0, 1), module_flags::blocks),
      counting(module_at(program_bias, text_size, "program", "/opt/program"), module_flags::main),
      module_at(library_bias + 0x100000, 0x8000, "libc.so.6", "/lib/libc.so.6"),
      counting(between(module_at(library_bias + 0x2000, 0x30000, "libtwo.so", "/opt/libtwo.so"), 2,
                       still_loaded),
               calls),
      counting(between(library(0x200000), 2, still_loaded), calls),
      counting(module_at(library_bias + 0x300000, 0x1000, "libone.so", "/usr/lib/libone.so"),
               calls),
      counting(module_at(library_bias + 0x400000, 0x1000, "", "/usr/lib/nameless"), calls),
      counting(module_at(library_bias + 0x500000, 0x1000, "gpx", "/usr/lib/gpx"), calls),
  };
}

// Counters of all kinds, at few addresses, so that the same ones meet in several tables.
class RandomCounters {
 public:
  explicit RandomCounters(std::uint32_t seed)
      : random_(seed), modules_(described_modules(seed % 2 == 0 ? 0x2000 : 0x50000)) {}

  LiveDescription describe();

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t epoch() { return below(last_epoch + 1); }
  std::uint64_t address();
  // Sums of these do not fit into one record of a file.
  std::uint64_t count(std::uint64_t large);
  std::vector<LiveDescription::Call> calls(bool via);
  std::vector<std::uint64_t> frames();
  void add_blocks(LiveDescription& live);
  void add_tables(LiveDescription& live);
  // Some are of none.
  std::uint32_t thread() { return static_cast<std::uint32_t>(below(9)); }
  std::uint32_t slice() {
    return below(6) == 0 ? gprof_formats::no_slice : static_cast<std::uint32_t>(below(6000));
  }
  // Each slot has several, some in the making, and slices of several widths, which a file may claim
  // to be anything.
  LiveDescription::Edition edition(int number) {
    return {static_cast<std::uint32_t>(below(3)),
            below(5) == 0 ? 0 : 1 + static_cast<std::uint64_t>(number),
            below(8) == 0 ? below(3) * 3'000'000 : std::uint64_t{1'000'000} << below(4)};
  }
  void add_samples(LiveDescription& live);
  void add_waits(LiveDescription& live);
  void add_threads(LiveDescription& live);

  std::mt19937 random_;
  std::vector<std::uint64_t> last_frames_;
  std::uint32_t stacks_[3] = {};
  std::vector<LiveDescription::Module> modules_;
};

std::uint64_t RandomCounters::address() {
  // In no module, or nowhere.
  if (below(16) == 0) return 0x1000 + below(4);
  const LiveDescription::Module& module = modules_[below(modules_.size())];
  switch (below(4)) {
    case 0:
      return module.text_low + below(8);
    case 1:
      return module.text_high - 4 + below(8);
    case 2:
      return module.low + below(2);
    default:
      return module.text_low + 0x200 * below(6) + below(3);
  }
}

std::uint64_t RandomCounters::count(std::uint64_t large) {
  switch (below(8)) {
    case 0:
      return 0;
    case 1:
      return large + below(1000);
    default:
      return 1 + below(100);
  }
}

std::vector<LiveDescription::Call> RandomCounters::calls(bool via) {
  std::vector<LiveDescription::Call> calls(1 + below(40));
  for (LiveDescription::Call& call : calls) {
    // Free, retired, or half written.
    call.from = below(12) < 2 ? below(2) : address();
    call.self = below(12) == 0 ? 0 : address();
    call.count = count(5'000'000'000);
    if (via && below(4) != 0) call.profiled_caller = address();
    if (via && below(4) != 0) call.via = address();
  }
  return calls;
}

std::vector<std::uint64_t> RandomCounters::frames() {
  // The same as before, as far as it goes.
  if (!last_frames_.empty() && below(3) == 0) {
    last_frames_.resize(1 + below(last_frames_.size()));
    return last_frames_;
  }
  last_frames_ = {address()};
  std::uint64_t since_mark = 1;
  for (std::uint64_t i = below(6); i > 0; --i) {
    if (below(4) != 0) {
      last_frames_.push_back(address());
      ++since_mark;
      continue;
    }
    const std::uint64_t kind = since_mark == 0 ? stack_mark::left_out : stack_mark::repeats;
    last_frames_.push_back(stack_mark::make(kind, since_mark, 1 + below(3)));
    since_mark = 0;
  }
  return last_frames_;
}

void RandomCounters::add_threads(LiveDescription& live) {
  std::uint64_t number = 0;
  for (int chunk = 0; chunk < 2; ++chunk) {
    std::vector<LiveDescription::Thread> threads(below(4));
    for (LiveDescription::Thread& thread : threads) {
      // No number that the kernel gives; 0 is a free record.
      thread.thread = below(5) == 0 ? 0 : 5'000'000 + static_cast<std::uint32_t>(below(100));
      thread.slot = static_cast<std::uint32_t>(below(3));
      thread.ended = below(2) == 0;
      thread.calls_before = below(500);
      thread.calls = below(1000);
      thread.samples = below(50);
      thread.signals = below(40);
      thread.cpu_time = below(1'000'000'000);
      thread.number = static_cast<std::uint32_t>(number++);
      thread.start_time = below(1000);
      if (below(3) != 0) thread.name = fmt::format("thread {}", below(3));
    }
    live.threads(threads);
  }
}

void RandomCounters::add_tables(LiveDescription& live) {
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    live.arcs(slot, calls(false)).through_arcs(slot, calls(true));
    live.retired_arcs(slot, epoch(), calls(false)).retired_through_arcs(slot, epoch(), calls(true));
  }
}

void RandomCounters::add_samples(LiveDescription& live) {
  for (int chunk = 0; chunk < 6; ++chunk) {
    std::vector<LiveDescription::Sample> samples(below(60));
    for (LiveDescription::Sample& sample : samples) {
      sample = {address(), epoch(), count(100'000), below(3), thread(), slice()};
      sample.kernel_count = below(2 * sample.count + 1);
    }
    live.samples(samples, edition(chunk));
    const auto slot = static_cast<std::uint32_t>(below(3));
    std::vector<LiveDescription::Stack> stacks(below(30));
    for (LiveDescription::Stack& stack : stacks) {
      stack = {below(2) == 0 ? below(2) : count(100'000), epoch(), below(2) == 0, frames(),
               stacks_[slot]++};
      if (below(3) == 0) stack.inferred_from = static_cast<std::uint32_t>(below(5));
    }
    if (!stacks.empty()) live.stacks(stacks, slot);
    std::vector<LiveDescription::StackCount> counts(below(40));
    for (LiveDescription::StackCount& one : counts) {
      one = {static_cast<std::uint32_t>(below(30)), thread(), slice(), count(100'000)};
    }
    live.stack_counts(counts, edition(chunk));
  }
}

// A function has one kind of wait; the last one has no name.
void RandomCounters::add_waits(LiveDescription& live) {
  live.wait_functions({"read", "pthread_mutex_lock", "poll"});
  const auto kind_of = [](std::uint32_t function) { return 1 + function; };
  for (int chunk = 0; chunk < 6; ++chunk) {
    std::vector<LiveDescription::Wait> waits(below(40));
    for (LiveDescription::Wait& wait : waits) {
      const auto function = static_cast<std::uint32_t>(below(4));
      wait = {static_cast<std::uint32_t>(below(30)),
              thread(),
              slice(),
              function,
              kind_of(function),
              count(std::uint64_t{1} << 40),
              below(4),
              below(1'000'000)};
    }
    live.waits(waits, edition(chunk));
    std::vector<LiveDescription::Holder> holders(below(20));
    for (LiveDescription::Holder& holder : holders) {
      holder = {
          static_cast<std::uint32_t>(below(30)), kind_of(static_cast<std::uint32_t>(below(4))),
          static_cast<std::uint32_t>(below(3)),  static_cast<std::uint32_t>(below(30)),
          count(std::uint64_t{1} << 40),         below(4)};
    }
    live.wait_holders(holders, edition(chunk));
  }
}

void RandomCounters::add_blocks(LiveDescription& live) {
  constexpr std::uint64_t page = gprof_formats::block_page_span;
  for (const LiveDescription::Module& module : modules_) {
    const std::uint64_t when = below(3) == 0 ? still_loaded : epoch();
    std::vector<LiveDescription::BlockAddress> places;
    for (std::uint64_t i = below(10); i > 0; --i) {
      const std::uint64_t call = module.text_low + 3 * below(60);
      places.push_back({call, call + 5});
    }
    live.block_places(when, places);
    std::vector<LiveDescription::BlockCount> counts;
    for (std::uint64_t i = below(10); i > 0; --i) {
      counts.push_back({(module.text_low % page) / 4 + below(50), count(5'000'000'000)});
    }
    live.block_counts(when, module.text_low - module.text_low % page, counts);
  }
}

LiveDescription RandomCounters::describe() {
  LiveDescription live;
  live.header.version = gprof_formats::live_version;
  live.header.slice_width = below(6) == 0 ? 0 : std::uint64_t{1'000'000} << below(4);
  live.header.epoch = last_epoch;
  live.header.requested_rate = static_cast<std::uint32_t>(below(2) * 250);
  live.header.lost_calls = below(3);
  live.header.lost_stacks = below(3);
  live.header.price = below(3000);
  live.header.crash = {.state = static_cast<std::uint32_t>(below(4)),
                       .signal = 11,
                       .code = static_cast<std::uint32_t>(below(2)),
                       .thread = thread(),
                       .slot = static_cast<std::uint32_t>(below(3)),
                       .stack = static_cast<std::uint32_t>(below(30)),
                       .address = below(1000)};
  for (const LiveDescription::Module& module : modules_) live.module(module);
  add_threads(live);
  add_tables(live);
  add_samples(live);
  if (below(4) != 0) add_waits(live);
  add_blocks(live);
  return live;
}

std::vector<std::byte> bytes_of(const fs::path& path) {
  const auto file = InputFile::open(path);
  REQUIRE(file);
  auto bytes = file->read_all();
  REQUIRE(bytes);
  return *std::move(bytes);
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

void check_agreement(const LiveDescription& described, const fs::path& folder) {
  fs::create_directory(folder);
  REQUIRE(write_by_collector(build_live(described), folder));
  std::set<std::string> names = names_in(folder);
  const auto live_name = std::ranges::find_if(
      names, [](const std::string& name) { return name.starts_with("gmon.live."); });
  REQUIRE(live_name != names.end());
  const auto live = read_live_counters_file(folder / *live_name);
  names.erase(live_name);
  REQUIRE(live);
  CHECK(live->warnings.empty());
  const auto collected = collect_profile(*live, {});
  REQUIRE(collected);
  const auto sidecar = read_sidecar_file(folder / (collected->file_name + ".gpx"));
  REQUIRE(sidecar);
  CHECK(sidecar->sample_parts == collected->sidecar.sample_parts);
  CHECK(sidecar->stack_parts == collected->sidecar.stack_parts);
  CHECK(sidecar->arc_parts == collected->sidecar.arc_parts);
  CHECK(sidecar->wait_stacks == collected->sidecar.wait_stacks);
  CHECK(sidecar->waits == collected->sidecar.waits);
  CHECK(sidecar->wait_parts == collected->sidecar.wait_parts);
  CHECK(sidecar->wait_holders == collected->sidecar.wait_holders);
  CHECK(sidecar->crashes == collected->sidecar.crashes);
  CHECK(*sidecar == collected->sidecar);
  std::set<std::string> expected = {collected->file_name + ".gpx"};
  for (const ModuleProfile& module : collected->modules) {
    const std::string name = collected->file_name + module.file_suffix;
    CAPTURE(name);
    expected.insert(name);
    REQUIRE(names.contains(name));
    const auto gmon = write_gmon(module.profile, {});
    REQUIRE(gmon);
    CHECK((bytes_of(folder / name) == *gmon));
  }
  CHECK(names == expected);
}

}  // namespace

TEST_CASE("collected: the collector writes the same files of the same counters") {
  const fs::path root = fresh_directory("collector_agreement");
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    CAPTURE(seed);
    check_agreement(RandomCounters(seed).describe(), root / fmt::format("{}", seed));
  }
}
