// What perf script prints of several events, threads and times.
#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/analysis/samples.h"
#include "engine/import/converted_profile.h"
#include "engine/import/perf_samples.h"
#include "engine/import/perf_script.h"
#include "tests/support/process.h"
#include "tests/support/test_seed.h"
#include "tests/unit/analysis/imported_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

struct PerfReader {
  Imported imported;
  Warnings warnings;

  explicit PerfReader(const std::string& name) : imported(name) {}

  Expected<ImportedProfile> try_read(std::string_view text) {
    const ImportTarget target{
        imported.program->symbols(), imported.program->code(), imported.program->image().path(),
        [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
    return read_converted(read_perf_script, text, "perf.txt", target, warnings);
  }
  ImportedProfile read(std::string_view text) {
    auto read = try_read(text);
    if (!read) FAIL(describe(read.error()));
    return *std::move(read);
  }
  [[nodiscard]] std::string frame(const std::string& function) const {
    return fmt::format("\t{:x} {}+0x4 ({})\n", imported.address(function) + 4, function,
                       imported.built.program.string());
  }
  // A sample of the function, called by main, or of main.
  [[nodiscard]] std::string sample(const std::string& start, const std::string& function) const {
    return start + "\n" + frame(function) + (function == "main" ? "" : frame("main")) + "\n";
  }
};

std::vector<const ImportedProfile*> events_of(const ImportedProfile& profile) {
  std::vector<const ImportedProfile*> all = {&profile};
  for (const ImportedProfile& other : profile.others) all.push_back(&other);
  return all;
}

std::uint64_t listed(const std::vector<SidecarSample>& samples) {
  std::uint64_t sum = 0;
  for (const SidecarSample& sample : samples) sum += sample.count;
  return sum;
}

// Parts of wholes add up to these, tick by tick, and stand in order.
template <typename Whole>
void check_parts(const std::vector<Whole>& wholes, const std::vector<SidecarPart>& parts,
                 const Sidecar& sidecar) {
  std::vector<std::uint64_t> sums(wholes.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SidecarPart& part = parts[i];
    REQUIRE(part.whole < wholes.size());
    CHECK(part.slice < sidecar.slices);
    const bool has_thread = part.thread < sidecar.threads.size() || part.thread == no_thread;
    CHECK(has_thread);
    sums[part.whole] += part.count;
    if (i == 0) continue;
    const SidecarPart& last = parts[i - 1];
    CHECK(std::tie(last.whole, last.thread, last.slice) <
          std::tie(part.whole, part.thread, part.slice));
  }
  for (std::size_t i = 0; i < wholes.size(); ++i) CHECK(sums[i] == wholes[i].count);
}

void check_conservation(const ImportedProfile& profile) {
  for (const ImportedProfile* event : events_of(profile)) {
    REQUIRE(event->sidecar);
    const Sidecar& sidecar = *event->sidecar;
    CHECK(sidecar.slices <= gprof_formats::most_slices);
    check_parts(sidecar.samples, sidecar.sample_parts, sidecar);
    if (!sidecar.stacks.empty()) check_parts(sidecar.stacks, sidecar.stack_parts, sidecar);
    CHECK(listed(sidecar.samples) == sidecar.process.samples);
    CHECK(std::is_sorted(sidecar.stacks.begin(), sidecar.stacks.end(),
                         [](const auto& a, const auto& b) { return a.count > b.count; }));
    std::uint64_t own = 0;
    std::uint64_t variance = 0;
    for (const SidecarSample& sample : sidecar.samples) {
      if (sample.place.module == 0) own += sample.count;
      variance += sample.excess_variance;
    }
    CHECK(Samples(event->raw.histograms).total() == static_cast<double>(own));
    CHECK(sidecar.process.sampling.excess_variance == variance);
    CHECK(std::equal(sidecar.threads.begin(), sidecar.threads.end(),
                     profile.sidecar->threads.begin(), profile.sidecar->threads.end(),
                     [](SidecarThread a, const SidecarThread& b) {
                       // They have different samples of each event.
                       a.samples = b.samples;
                       return a == b;
                     }));
    CHECK(sidecar.modules == profile.sidecar->modules);
    CHECK(sidecar.slice_width == profile.sidecar->slice_width);
    CHECK(sidecar.process.start_time == profile.sidecar->process.start_time);
  }
}

}  // namespace

TEST_CASE("a sample's line tells command, process, thread, time and event") {
  const auto all = parse_perf_header("my prog 12/13 [001] 42.000001:  250000 cpu-clock:u: ");
  REQUIRE(all);
  CHECK(all->command == "my prog");
  CHECK(all->process == 12);
  CHECK(all->thread == 13);
  CHECK(all->time == 42'000'001'000);
  CHECK(all->period == 250000);
  CHECK(all->event == "cpu-clock:u");
  CHECK_FALSE(all->has_frame);
  const auto few = parse_perf_header("prog    13  1.000000002: cycles: 1162 f+0x2 (/x)");
  REQUIRE(few);
  CHECK(few->command == "prog");
  CHECK(few->process == 0);
  CHECK(few->thread == 13);
  CHECK(few->time == 1'000'000'002);
  CHECK(few->period == 0);
  CHECK(few->has_frame);
  CHECK(few->frames.size() == 1);
  CHECK(parse_perf_header(" :-1 -1 99999999999999999999.5: cycles: ") == std::nullopt);
  CHECK(parse_perf_header("x y 18446744073709551615.1: cycles: ")->thread == 0);
  CHECK(parse_perf_header("5 6 7.5:  9 sched:sched_switch: prev_comm=a")->command == "5");
}

TEST_CASE("each event of perf is a metric, and stands for as many events as its samples do") {
  if (!have_programs({"gcc"})) return;
  PerfReader reader("import-perf-events");
  std::string text;
  for (int i = 0; i < 5; ++i) {
    text += reader.sample(fmt::format("prog 7/7 42.{:06}: 250000 cpu-clock:u: ", i), "leaf");
  }
  text += reader.sample("prog 7/7 42.000007: 3 page-faults:u: ", "leaf");
  text += reader.sample("worker 7/8 42.000008: 5 page-faults:u: ", "main");
  text += "worker 7/8 42.000009: 1 context-switches: \n\t7f99 futex+0x9 (/lib/libc.so.6)\n" +
          reader.frame("main") + "\n";
  const ImportedProfile profile = reader.read(text);
  CHECK(reader.warnings.empty());
  check_conservation(profile);
  const auto events = events_of(profile);
  REQUIRE(events.size() == 3);
  CHECK(events[0]->metric == Metric{"cpu-clock:u", "cpu-clock:u: CPU time", "seconds",
                                    MetricKind::sampled, "sampled by perf every 250,000 ns"});
  CHECK(events[0]->raw.rate == 4000);
  CHECK(listed(events[0]->sidecar->samples) == 5);
  CHECK(events[1]->metric.name == "page-faults:u");
  CHECK(events[1]->metric.unit == "page-faults");
  CHECK(events[1]->raw.rate == 1);
  CHECK(listed(events[1]->sidecar->samples) == 8);
  // Of 3 and 5: 9 + 25.
  CHECK(events[1]->sidecar->process.sampling.excess_variance + 8 == 34);
  CHECK(events[2]->metric.name == "context-switches");
  CHECK(Samples(events[2]->raw.histograms).total() == 0);
  CHECK(listed(events[2]->sidecar->samples) == 1);
  for (const ImportedProfile* event : events) CHECK_FALSE(event->sidecar->stacks.empty());
}

TEST_CASE("a clock whose periods differ still tells seconds, beside other events") {
  if (!have_programs({"gcc"})) return;
  PerfReader reader("import-perf-clock");
  const std::string text = reader.sample("prog 7 1.0: 1000000 task-clock: ", "leaf") +
                           reader.sample("prog 7 1.1: 3000000 task-clock: ", "leaf");
  const ImportedProfile alone = reader.read(text);
  CHECK(alone.metric.unit == "samples");
  CHECK(listed(alone.sidecar->samples) == 2);
  const ImportedProfile several =
      reader.read(text + reader.sample("prog 7 1.2: page-faults: ", "leaf"));
  CHECK(several.metric.unit == "seconds");
  CHECK(several.raw.rate == 1'000'000'000);
  CHECK(listed(several.sidecar->samples) == 4'000'000);
  // Without periods, samples are all that is known.
  REQUIRE(several.others.size() == 1);
  CHECK(several.others[0].metric.unit == "samples");
  check_conservation(several);
}

TEST_CASE("samples keep process, thread and time") {
  if (!have_programs({"gcc"})) return;
  PerfReader reader("import-perf-threads");
  const ImportedProfile profile =
      reader.read(reader.sample("sh 7/7 10.000000: 1000 cpu-clock: ", "main") +
                  reader.sample("prog 7/7 10.500000: 1000 cpu-clock: ", "leaf") +
                  reader.sample("my solver 7/9 12.000000: 1000 cpu-clock: ", "leaf") +
                  reader.sample("prog 7/7 12.000000: 1000 cpu-clock: ", "leaf") +
                  reader.sample("prog 8/8 10.500000: 1000 cpu-clock: ", "main"));
  check_conservation(profile);
  const Sidecar& sidecar = *profile.sidecar;
  REQUIRE(sidecar.threads.size() == 3);
  CHECK(sidecar.threads[0].name == "prog");
  CHECK(sidecar.threads[0].process == 7);
  CHECK(sidecar.threads[0].thread == 7);
  CHECK(sidecar.threads[0].samples == 3);
  // In the order in which they started.
  CHECK(sidecar.threads[1].process == 8);
  CHECK(sidecar.threads[2].name == "my solver");
  CHECK(sidecar.threads[2].thread == 9);
  CHECK(sidecar.threads[2].start_time == 12'000'000'000);
  CHECK(sidecar.process.process == 0);
  CHECK(sidecar.process.start_time == 10'000'000'000);
  // 2^19 ns, of which two seconds have 3,814.7.
  CHECK(sidecar.slice_width == 524'288);
  CHECK(sidecar.slices == 3815);
  std::map<std::tuple<std::string, std::uint32_t>, std::uint64_t> by_time;
  for (const SidecarPart& part : sidecar.sample_parts) {
    by_time[{sidecar.threads[part.thread].name, part.slice}] += part.count;
  }
  CHECK(by_time ==
        std::map<std::tuple<std::string, std::uint32_t>, std::uint64_t>{
            {{"prog", 0}, 1}, {{"prog", 953}, 2}, {{"prog", 3814}, 1}, {{"my solver", 3814}, 1}});
  const ImportedProfile one = reader.read(reader.sample("prog 7/7 5.0: cycles: ", "leaf"));
  CHECK(one.sidecar->process.process == 7);
  CHECK(one.sidecar->slices == 1);
}

TEST_CASE("perf script: interrupted code is no caller, and other modules' functions have names") {
  if (!gprof::test::have_programs({"gcc"})) return;
  PerfReader reader("perf-script-interrupted");
  const std::uint64_t leaf = reader.imported.address("leaf");
  const std::string first =
      fmt::format("\t{:x} leaf+0x0 ({})\n", leaf, reader.imported.built.program.string());
  // The innermost frames, and what is looked up of leaf.
  for (const auto& [inner, looked_up] : std::vector<std::pair<std::string, std::uint64_t>>{
           {"\tffffffff81000000 clear_page_erms+0x7 ([kernel.kallsyms])\n"
            "\tffffffff81000100 asm_exc_page_fault+0x22 ([kernel.kallsyms])\n" +
                first,
            leaf},
           {"\t401136 on_alarm+0x4 (/lib/libother.so)\n"
            "\t7f0042520 __restore_rt+0x0 (/usr/lib/libc.so.6)\n" +
                first,
            leaf},
           {"\tffffffff81000000 ksys_read+0x7 ([kernel.kallsyms])\n"
            "\tffffffff81000100 do_syscall_64+0x22 ([kernel.kallsyms])\n" +
                reader.frame("leaf"),
            leaf + 3}}) {
    CAPTURE(inner);
    const ImportedProfile profile =
        reader.read("prog 7/7 5.0: 1 cycles: \n" + inner + reader.frame("main") + "\n");
    REQUIRE(profile.sidecar->stacks.size() == 1);
    const std::vector<ModuleAddress>& frames = profile.sidecar->stacks[0].frames;
    REQUIRE(frames.size() == 4);
    CHECK(frames[2] == ModuleAddress{0, {looked_up + 1}});
    REQUIRE(profile.external_names);
    const auto name = [&](std::size_t frame) {
      const std::uint64_t back = frame == 0 ? 0 : 1;
      const ModuleAddress place = {frames[frame].module, frames[frame].address - back};
      return profile.external_names->at(place) + " " +
             profile.sidecar->modules[frames[frame].module].path;
    };
    const std::vector<std::string> names = {name(0), name(1)};
    if (looked_up != leaf) {
      CHECK(names == std::vector<std::string>{"ksys_read kernel", "do_syscall_64 kernel"});
    } else if (inner.find("restore") == std::string::npos) {
      CHECK(names ==
            std::vector<std::string>{"clear_page_erms kernel", "asm_exc_page_fault kernel"});
    } else {
      CHECK(names == std::vector<std::string>{"on_alarm /lib/libother.so",
                                              "__restore_rt /usr/lib/libc.so.6"});
    }
  }
}

TEST_CASE("perf script: handlers of signals return to a function that may have no name") {
  if (!gprof::test::have_programs({"gcc"})) return;
  PerfReader reader("perf-script-unnamed");
  const SymbolTable& symbols = reader.imported.program->symbols();
  const Symbol& main = symbols[reader.imported.symbol("main")];
  const auto calls = reader.imported.program->code().calls_in({main.address, main.end});
  REQUIRE_FALSE(calls.empty());
  const Address back = calls.front().return_address;
  const std::string program = reader.imported.built.program.string();
  // The frame of main, below what may be the function that handlers return to.
  const auto frame_at = [&](Address address) {
    const ImportedProfile profile =
        reader.read("prog 7/7 5.0: 1 cycles: \n\t3c04f [unknown] (/usr/lib/libc.so.6)\n" +
                    fmt::format("\t{:x} main+0x{:x} ({})\n\t7f00 _start+0x1 (/x)\n\n",
                                address.value, address - main.address, program));
    return profile.sidecar->stacks.at(0).frames.at(1);
  };
  CHECK(frame_at(back) == ModuleAddress{0, back});
  CHECK(frame_at(back - 1) == ModuleAddress{0, back - 1});
  CHECK(frame_at(main.address) == ModuleAddress{0, main.address + 1});
}

TEST_CASE("perf script: where whole call chains end") {
  if (!gprof::test::have_programs({"gcc"})) return;
  PerfReader reader("perf-script-ends");
  const std::string start = "prog 7/7 5.0: 1 cycles: \n" + reader.frame("leaf");
  const std::string calls = reader.frame("leaf") + reader.frame("leaf");
  const auto is_whole = [&](const std::string& outer) {
    reader.warnings.clear();
    const ImportedProfile profile = reader.read(start + calls + outer + "\n");
    return !profile.sidecar->stacks.empty() && reader.warnings.empty();
  };
  for (const std::string outer :
       {"\t7f00 __libc_start_main+0x80 (/lib/libc.so.6)\n",
        "\t7f00 __libc_start_main_impl+0x80 (/lib/libc.so.6)\n",
        "\t7f00 thread_start+0xc (/lib/libc.so.6)\n",
        "\t4641c1 runtime.goexit.abi0+0x1 (/build/other)\n",
        "\t7f00 [unknown] (/lib/x86_64-linux-gnu/libc-2.31.so)\n",
        "\t7f00 _start+0x80 (/x)\n\t6ce258d4c544155 [unknown] ([unknown])\n"}) {
    CAPTURE(outer);
    CHECK(is_whole(outer));
  }
  CHECK_FALSE(is_whole("\t6ce258d4c544155 [unknown] ([unknown])\n"));
  // Whatever it is called: most chains end in it.
  const std::string pool = "\t7f00 pool_worker+0x80 (/lib/libother.so)\n";
  const auto chain = [&](const std::string& outer) { return start + calls + outer + "\n"; };
  const std::string others = chain("\t7f10 parse+0x4 (/lib/libother.so)\n") +
                             chain("\t7f20 format+0x4 (/lib/libother.so)\n");
  reader.warnings.clear();
  const ImportedProfile profile = reader.read(chain(pool) + chain(pool) + chain(pool) + others);
  CHECK(reader.warnings.empty());
  const std::vector<SidecarStack>& stacks = profile.sidecar->stacks;
  REQUIRE(stacks.size() == 3);
  CHECK(stacks[0].count == 3);
  CHECK_FALSE(stacks[0].truncated);
  CHECK(stacks[1].truncated);
  CHECK(stacks[2].truncated);
}

TEST_CASE("perf script: files of any name, and texts without times or files") {
  if (!gprof::test::have_programs({"gcc"})) return;
  PerfReader reader("perf-script-forms");
  const std::uint64_t leaf = reader.imported.address("leaf");
  const std::uint64_t main = reader.imported.address("main");
  const auto check = [&](const std::string& text) {
    CAPTURE(text);
    CHECK(is_perf_script(text));
    const ImportedProfile profile = reader.read(text);
    REQUIRE(profile.sidecar->stacks.size() == 1);
    CHECK(profile.sidecar->stacks[0].frames ==
          std::vector<ModuleAddress>{{0, {leaf + 4}}, {0, {main + 4}}});
  };
  const auto sample = [&](const std::string& header, const std::string& file) {
    return fmt::format("{}\n\t {:x} leaf+0x4{}\n\t {:x} main+0x4{}\n\n", header, leaf + 4, file,
                       main + 4, file);
  };
  const std::string header = "prog 7/7 5.0: 1 cycles: ";
  check(sample(header, " (/build/my (new) copy/prog)"));
  check(sample(header, " (/build/prog (deleted))"));
  check(sample(header, ""));
  check(sample("prog 7/7 cycles: ", " (prog)"));
  check(sample("my prog 7 [001] 250000 cycles:u: ", " (prog)"));
  check("[ perf record: Woken up 1 times to write data ]\n" + sample(header, " (prog)"));
  check("prog 7 1.000010: PERF_RECORD_COMM exec: prog:10/10\n" + sample(header, " (prog)"));
  CHECK_FALSE(is_perf_script("Total 7 cycles:\nmain;leaf 12\n"));
}

TEST_CASE("perf script: an incomplete chain costs its own callers alone") {
  if (!gprof::test::have_programs({"gcc"})) return;
  PerfReader reader("perf-script-incomplete");
  const std::string whole = reader.sample("prog 7/7 5.0: 1 cycles: ", "leaf");
  const std::string cut = "prog 7/7 5.1: 1 cycles: \n" + reader.frame("leaf") + "\n";
  const ImportedProfile profile = reader.read(whole + whole + cut);
  CHECK(reader.warnings.empty());
  const std::vector<SidecarStack>& stacks = profile.sidecar->stacks;
  REQUIRE(stacks.size() == 2);
  CHECK(stacks[0].count == 2);
  CHECK_FALSE(stacks[0].truncated);
  CHECK(stacks[0].frames.size() == 2);
  CHECK(stacks[1].truncated);
  CHECK(stacks[1].frames.size() == 1);
  // Those of other programs do not matter.
  const std::string other = "other 8/8 5.1: 1 cycles: \n\t1000 f+0x4 (/other)\n\n";
  CHECK(reader.read(whole + cut + other + other + other).sidecar->stacks.size() == 3);
  CHECK(reader.warnings.empty());
  // Where most chains are incomplete, what they hold is chance.
  CHECK(reader.read(whole + cut + cut).sidecar->stacks.empty());
  REQUIRE(reader.warnings.size() == 1);
  CHECK(reader.warnings[0].message.find("2 of 3 call chains") != std::string::npos);
}

TEST_CASE("however long a recording is, its slices are bounded") {
  if (!have_programs({"gcc"})) return;
  PerfReader reader("import-perf-long");
  for (const std::string end : {"1.000000001", "1.000004095", "1.000004096", "3600.0", "604800.0",
                                "18446744073709551615.0"}) {
    CAPTURE(end);
    const ImportedProfile profile =
        reader.read(reader.sample("prog 7 " + end + ": cycles: ", "leaf") +
                    reader.sample("prog 7 1.0: cycles: ", "leaf"));
    check_conservation(profile);
    const Sidecar& sidecar = *profile.sidecar;
    CHECK(std::has_single_bit(sidecar.slice_width));
    const bool narrow = sidecar.slices > gprof_formats::most_slices / 2 || sidecar.slice_width == 1;
    CHECK(narrow);
  }
}

TEST_CASE("amplification: threads, events and modules of perf's text are bounded") {
  if (!have_programs({"gcc"})) return;
  PerfReader reader("import-perf-many");
  const auto lists_of = [&](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += fmt::format(
          "p {0}/{0} 1.0: e{1}: {2:x} leaf+0x4 (prog)\np {0}/{0} 1.0: e{1}: 1 x (/{0})\n", i,
          i % 100, reader.imported.address("leaf") + 4);
    }
    reader.warnings.clear();
    const ImportedProfile profile = reader.read(text);
    check_conservation(profile);
    CHECK(events_of(profile).size() == 64);
    CHECK(reader.warnings.size() <= 3);
    std::size_t bytes = 0;
    for (const ImportedProfile* event : events_of(profile)) {
      bytes += event->sidecar->threads.size() * sizeof(SidecarThread) +
               event->sidecar->modules.size() * sizeof(SidecarModule);
    }
    return std::pair(bytes, text.size());
  };
  constexpr std::size_t constant_part = std::size_t{160} << 20;
  for (const int count : {1000, 20'000}) {
    const auto [bytes, size] = lists_of(count);
    CHECK(bytes <= constant_part + 2 * size);
  }
}

TEST_CASE("property: samples of any text add up by thread and time") {
  if (!have_programs({"gcc"})) return;
  PerfReader reader("import-perf-random");
  std::mt19937 numbers(test_seed(5));
  const auto number = [&](int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(numbers);
  };
  const std::vector<std::string> events = {"cpu-clock:u", "page-faults", "cycles"};
  for (int round = 0; round < 30; ++round) {
    std::string text;
    std::map<std::string, std::uint64_t> samples;
    std::map<std::string, std::uint64_t> periods;
    const bool fixed_clock = round % 2 == 0;
    for (int i = 0; i < 100; ++i) {
      const std::string& event = events[static_cast<std::size_t>(number(3))];
      const int period = event == "cpu-clock:u" && fixed_clock ? 1000 : 1 + number(1000);
      ++samples[event];
      periods[event] += static_cast<std::uint64_t>(period);
      text += fmt::format("t{} {}/{} {}.{:06}: {} {}: \n", number(3), 5 + number(2), number(4),
                          number(9), number(1'000'000), period, event);
      for (int depth = number(3); depth > 0; --depth) text += reader.frame("leaf");
      if (number(5) == 0) text += "\t7f99 memcpy+0x9 (/lib/libc.so.6)\n";
      if (number(9) != 0) text += reader.frame("main");
      text += "\n";
    }
    const ImportedProfile profile = reader.read(text);
    check_conservation(profile);
    for (const ImportedProfile* event : events_of(profile)) {
      const std::string& name = event->metric.name;
      CAPTURE(name);
      const bool by_samples = name == "cpu-clock:u" && fixed_clock;
      CHECK(listed(event->sidecar->samples) == (by_samples ? samples[name] : periods[name]));
    }
  }
}

TEST_CASE("a text of perf that ends anywhere is read, or refused with a reason") {
  if (!have_programs({"gcc"})) return;
  PerfReader reader("import-perf-cut-text");
  const std::string text = reader.sample("my prog 7/7 [001] 42.000001: 250 cpu-clock:u: ", "leaf") +
                           reader.sample("prog 7/8 43.5: 3 page-faults: ", "main");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = reader.try_read(std::string_view(text).substr(0, size));
    if (read) {
      check_conservation(*read);
    } else {
      CHECK_FALSE(read.error().message.empty());
    }
  }
}

TEST_CASE("sums of every event agree with perf report's") {
  if (!have_programs({"gcc", "perf"})) return;
  Imported imported("import-perf-report");
  const std::string data = (imported.built.folder / "perf.data").string();
  const auto recorded =
      run_process({"perf", "record", "-q", "-e", "cpu-clock:u,page-faults:u,context-switches:u",
                   "-o", data, imported.built.program.string(), "3000000"},
                  imported.built.folder);
  if (recorded.exit_status != 0) return;  // not allowed here
  const auto script = run_process({"perf", "script", "-i", data, "-F", "+pid"});
  const auto report = run_process({"perf", "report", "-i", data, "--stdio"});
  REQUIRE(script.exit_status == 0);
  imported.write(script.out);
  PerfReader reader("import-perf-report-reader");
  reader.imported.program = imported.program;
  const ImportedProfile profile = reader.read(script.out);
  check_conservation(profile);
  for (const ImportedProfile* event : events_of(profile)) {
    CAPTURE(event->metric.name);
    const std::string mark =
        fmt::format("of event '{}'\n# Event count (approx.): ", event->metric.name);
    const std::size_t found = report.out.find(mark);
    REQUIRE(found != std::string::npos);
    const double wanted = std::stod(report.out.substr(found + mark.size(), 24));
    const double scale = event->metric.unit == "seconds" ? 1e9 : 1;
    CHECK(static_cast<double>(listed(event->sidecar->samples)) * scale / event->raw.rate ==
          Approx(wanted));
  }
}
