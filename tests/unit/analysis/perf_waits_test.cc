// Waits in recordings of perf: perf.data made by hand, of both byte orders, and what perf script
// prints.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/import/perf_data/perf_data.h"
#include "engine/import/perf_data/tracepoint_formats.h"
#include "engine/import/perf_samples.h"
#include "engine/snapshot_view.h"
#include "engine/waiting.h"
#include "tests/support/converted_recording.h"
#include "tests/support/perf_data_builder.h"
#include "tests/unit/analysis/imported_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t base = 0x7f0000000000;
constexpr std::uint64_t in_kernel = 0xffffffff81000000;
constexpr std::uint64_t kernel_mark = static_cast<std::uint64_t>(-128);
constexpr std::uint64_t user_mark = static_cast<std::uint64_t>(-512);
constexpr std::size_t cpu = 0;
constexpr std::size_t switches = 1;

// Nothing is where it usually is.
constexpr std::string_view moved_switch =
    "name: sched_switch\nID: 372\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:pid_t next_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:char prev_comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:pid_t prev_pid;\toffset:40;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"prev_comm=%s\", REC->prev_comm\n";

struct Recorded {
  Imported imported;
  Warnings warnings;
  ByteOrder order = ByteOrder::little;
  std::vector<PerfTracepoint> tracepoints = {};

  explicit Recorded(const std::string& name) : imported(name) {}

  [[nodiscard]] std::uint64_t in_process(std::string_view function) const {
    return imported.in_process(function, base);
  }
  [[nodiscard]] PerfDataBuilder builder(std::vector<PerfDataBuilder::Event> events) const {
    PerfDataBuilder made(order, std::move(events));
    made.map(7, base, 0x100000, 0, imported.built.program.string(), 1);
    made.name(7, 7, "prog");
    return made;
  }
  [[nodiscard]] static PerfDataBuilder::Event switch_event(std::string name) {
    PerfDataBuilder::Event event;
    event.type = 2;
    event.config = 372;
    event.period = 1;
    event.name = std::move(name);
    event.has_raw = true;
    return event;
  }
  [[nodiscard]] PerfDataBuilder with_switches(bool records = false) const {
    PerfDataBuilder::Event clock;
    clock.has_switches = records;
    return builder({clock, switch_event("sched:sched_switch")});
  }
  // The raw fields, where the kernel has them, or where moved_switch does.
  [[nodiscard]] std::vector<std::byte> raw(std::uint32_t previous, std::uint64_t state,
                                           std::uint32_t next) const {
    PerfDataBytes bytes(order);
    bytes.put(std::uint16_t{372}).text("", 6);
    if (tracepoints.empty()) {
      bytes.text("prog", 16).put(previous).put(std::uint32_t{120}).put(state);
      bytes.text("other", 16).put(next).put(std::uint32_t{120});
    } else {
      bytes.put(next).text("prog", 20).put(state).put(previous);
    }
    return bytes.bytes();
  }
  void out(PerfDataBuilder& made, std::uint32_t thread, std::uint64_t time, std::uint64_t state,
           std::uint32_t next, std::string_view function = "leaf") const {
    std::vector<std::uint64_t> chain = {kernel_mark, in_kernel, in_kernel + 64, user_mark,
                                        in_process(function) + 1};
    if (function != "main") chain.push_back(in_process("main") + 9);
    PerfSampleParts parts;
    parts.raw = raw(thread, state, next);
    made.sample(switches, thread == 7 || thread == 8 ? 7 : thread, thread, time, in_kernel, 1,
                chain, parts);
  }
  void in(PerfDataBuilder& made, std::uint32_t thread, std::uint64_t time) const {
    PerfSampleParts parts;
    parts.raw = raw(0, 0, thread);
    made.sample(switches, 0, 0, time, in_kernel, 1, {kernel_mark, in_kernel}, parts);
  }
  void on_cpu(PerfDataBuilder& made, std::uint32_t thread, std::uint64_t time) const {
    const std::uint64_t leaf = in_process("leaf") + 1;
    made.sample(cpu, 7, thread, time, leaf, 1'000'000, {user_mark, leaf, in_process("main") + 9});
  }
  Expected<ImportedProfile> read(const std::vector<std::byte>& bytes) {
    const ImportTarget target{
        imported.program->symbols(), imported.program->code(), imported.program->image().path(),
        [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
    return converted_recording(perf_data::PerfBytes(bytes, "perf.data"), target,
                               imported.program->image(), warnings);
  }
  ImportedProfile read_well(const std::vector<std::byte>& bytes) {
    auto profile = read(bytes);
    if (!profile) FAIL(describe(profile.error()));
    for (const Error& warning : warnings) FAIL_CHECK(describe(warning));
    return *std::move(profile);
  }
};

std::uint64_t time_of(const ImportedProfile& profile) {
  std::uint64_t total = 0;
  for (const SidecarWait& wait : profile.sidecar->waits) total += wait.total;
  return total;
}

}  // namespace

TEST_CASE("perf.data: switches are waits, and no CPU time") {
  if (!have_programs({"gcc"})) return;
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    for (const bool told : {false, true}) {
      CAPTURE(order, told);
      Recorded recorded("perf-waits");
      recorded.order = order;
      if (told) recorded.tracepoints = {{"sched", std::string(moved_switch)}};
      PerfDataBuilder made = recorded.with_switches();
      // More switches than samples; the thread sleeps, is preempted, waits for a disk.
      recorded.on_cpu(made, 7, 100 * ms);
      recorded.out(made, 7, 101 * ms, 1, 0);
      recorded.in(made, 7, 151 * ms);
      recorded.out(made, 7, 152 * ms, 0x100, 99);
      recorded.out(made, 99, 160 * ms, 1, 7);  // of another program
      recorded.out(made, 8, 160 * ms, 2, 0, "main");
      recorded.in(made, 8, 167 * ms);
      recorded.on_cpu(made, 8, 168 * ms);
      if (told) made.tell(recorded.tracepoints);
      for (const auto& bytes : {made.file(), made.pipe()}) {
        const ImportedProfile profile = recorded.read_well(bytes);
        CHECK(profile.metric.name == "cpu-clock");
        CHECK(profile.sidecar->process.samples == 2);
        REQUIRE(profile.others.size() == 1);
        CHECK(profile.others[0].metric.name == "sched:sched_switch");
        CHECK(profile.others[0].sidecar->waits.empty());
        const Sidecar& sidecar = *profile.sidecar;
        REQUIRE(sidecar.waits.size() == 2);
        CHECK(sidecar.waits[0].total == 50 * ms);
        CHECK(sidecar.waits[0].kind == WaitKind::other);
        CHECK(sidecar.waits[1].total == 7 * ms);
        CHECK(sidecar.waits[1].kind == WaitKind::io);
        REQUIRE(sidecar.wait_stacks[0].frames.size() == 3);
        CHECK(sidecar.modules[sidecar.wait_stacks[0].frames[0].module].path == "kernel");
        // It has called nothing: its place is looked up a byte before.
        CHECK(sidecar.wait_stacks[0].frames[1] ==
              ModuleAddress{0, {recorded.imported.address("leaf") + 2}});
        REQUIRE(sidecar.threads.size() >= 2);
        CHECK(sidecar.threads[sidecar.wait_parts.front().thread].thread == 7);
        CHECK(sidecar.threads[sidecar.wait_parts.back().thread].thread == 8);
      }
    }
  }
}

TEST_CASE("perf.data: records of switches end waits, and are waits without samples of them") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-switch-records");
  PerfDataBuilder made = recorded.with_switches(true);
  recorded.on_cpu(made, 7, 100 * ms);
  recorded.out(made, 7, 110 * ms, 1, 55);
  made.switched(7, 7, 110 * ms + 900, true);
  made.switched(7, 7, 130 * ms, false);
  recorded.on_cpu(made, 7, 140 * ms);
  made.switched(7, 7, 150 * ms, true);  // its sample was lost
  made.switched(7, 7, 160 * ms, false);
  recorded.on_cpu(made, 7, 170 * ms);
  CHECK(time_of(recorded.read_well(made.file())) == 20 * ms);

  PerfDataBuilder::Event clock;
  clock.has_switches = true;
  PerfDataBuilder::Event counter;
  counter.config = 3;
  counter.period = 1;
  counter.name = "context-switches";
  PerfDataBuilder alone = recorded.builder({clock, counter});
  recorded.on_cpu(alone, 7, 100 * ms);
  const std::uint64_t leaf = recorded.in_process("leaf") + 1;
  alone.sample(1, 7, 7, 110 * ms, leaf, 1, {user_mark, leaf, recorded.in_process("main") + 9});
  alone.switched(7, 7, 110 * ms + 800, true);
  alone.switched(7, 7, 120 * ms + 800, false);
  alone.switched(7, 7, 130 * ms, true, true);  // preempted
  alone.switched(7, 7, 135 * ms, false);
  alone.switched(7, 7, 140 * ms, true);  // of which there is no sample
  alone.exit(7, 7, 143 * ms);
  recorded.on_cpu(alone, 8, 150 * ms);
  recorded.warnings.clear();
  auto profile = recorded.read(alone.file());
  REQUIRE(profile);
  const Sidecar& sidecar = *profile->sidecar;
  REQUIRE(sidecar.waits.size() == 2);
  CHECK(sidecar.waits[0].total == 10 * ms);
  CHECK(sidecar.wait_stacks[0].frames.front() ==
        ModuleAddress{0, {recorded.imported.address("leaf") + 1}});
  CHECK(sidecar.waits[1].total == 3 * ms);
  CHECK(sidecar.modules[sidecar.wait_stacks[1].frames.front().module].path == "kernel");
}

TEST_CASE(
    "perf.data whose stacks end in the kernel still tells how long the program's threads waited") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-sched-record");
  PerfDataBuilder made = recorded.builder({Recorded::switch_event("sched:sched_switch")});
  const auto sample = [&](std::uint32_t thread, std::uint64_t time, std::uint32_t next) {
    PerfSampleParts parts;
    parts.raw = recorded.raw(thread, 1, next);
    made.sample(0, thread, thread, time, in_kernel, 1, {kernel_mark, in_kernel}, parts);
  };
  sample(7, 100 * ms, 3);
  sample(3, 140 * ms, 7);
  sample(7, 150 * ms, 3);
  sample(3, 170 * ms, 0);
  const ImportedProfile profile = recorded.read_well(made.file());
  CHECK(time_of(profile) == 60 * ms);
  CHECK(profile.metric.name == "sched:sched_switch");
}

TEST_CASE("perf.data that does not tell when threads go on says so") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-waits-guessed");
  PerfDataBuilder made = recorded.with_switches();
  for (std::uint64_t i = 1; i <= 5; ++i) {
    recorded.out(made, 7, i * 100 * ms, 1, 55);
    recorded.on_cpu(made, 7, i * 100 * ms + 20 * ms);
  }
  const auto profile = recorded.read(made.file());
  REQUIRE(profile);
  CHECK(time_of(*profile) == 100 * ms);
  REQUIRE(recorded.warnings.size() == 1);
  CHECK(recorded.warnings[0].message.find("went on after 5 of 5 waits") != std::string::npos);
  CHECK(recorded.warnings[0].message.find("--switch-events") != std::string::npos);

  // Where some switches are left out, nothing is known of the time between two of them.
  PerfDataBuilder::Event some = Recorded::switch_event("sched:sched_switch");
  some.period = 10;
  PerfDataBuilder sampled = recorded.builder({{}, some});
  recorded.out(sampled, 7, 100 * ms, 1, 55);
  recorded.on_cpu(sampled, 7, 120 * ms);
  recorded.warnings.clear();
  const auto again = recorded.read(sampled.file());
  REQUIRE(again);
  CHECK(again->sidecar->waits.empty());
  REQUIRE(recorded.warnings.size() == 1);
  CHECK(recorded.warnings[0].message.find("not every switch") != std::string::npos);
}

TEST_CASE("perf.data whose switches and layouts lie") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-waits-lies");
  std::string format(moved_switch);
  for (const std::string_view lie : {"offset:4294967295;", "offset:99999999999999999999;",
                                     "offset:-1;", "size:0;", "size:4294967295;", "size:3;", ""}) {
    CAPTURE(lie);
    std::string lying = format;
    const std::string_view told = lie.starts_with("size") ? "size:8;" : "offset:32;";
    lying.replace(lying.find(told), told.size(), lie);
    recorded.tracepoints = {{"sched", lying}};
    PerfDataBuilder made = recorded.with_switches();
    recorded.on_cpu(made, 7, 100 * ms);
    recorded.out(made, 7, 101 * ms, 1, 0);
    recorded.in(made, 7, 151 * ms);
    made.tell(recorded.tracepoints);
    const ImportedProfile profile = recorded.read_well(made.file());
    CHECK(profile.sidecar->process.samples == 1);
    CHECK(profile.sidecar->waits.empty());
  }
  // Fields that are cut short, where the usual layout is taken.
  recorded.tracepoints.clear();
  PerfDataBuilder made = recorded.with_switches();
  recorded.on_cpu(made, 7, 100 * ms);
  for (std::size_t size = 0; size < 60; size += 4) {
    PerfSampleParts parts;
    parts.raw = recorded.raw(7, 1, 0);
    parts.raw.resize(size);
    const std::uint64_t leaf = recorded.in_process("leaf") + 1;
    made.sample(switches, 7, 7, (110 + size) * ms, leaf, 1,
                {user_mark, leaf, recorded.in_process("main") + 9}, parts);
  }
  CHECK(recorded.read_well(made.file()).sidecar->waits.empty());
}

TEST_CASE("formats of tracepoints, and tracing data that ends anywhere") {
  const auto format = perf_data::parse_tracepoint_format(moved_switch);
  REQUIRE(format);
  CHECK(format->name == "sched_switch");
  CHECK(format->id == 372);
  REQUIRE(format->fields.contains("prev_state"));
  CHECK(format->fields.find("prev_state")->second.offset == 32);
  CHECK(format->fields.find("prev_comm")->second.size == 16);
  CHECK_FALSE(perf_data::parse_tracepoint_format("name: x\nformat:\n"));

  PerfDataBytes data(ByteOrder::big);
  data.text("\x17\x08\x44tracing", 10).text("0.5", 4).put(std::uint8_t{1}).put(std::uint8_t{8});
  data.put(std::uint32_t{4096}).text("header_page", 12).put(std::uint64_t{0});
  data.text("header_event", 13).put(std::uint64_t{0}).put(std::uint32_t{0});
  data.put(std::uint32_t{2});
  for (const std::string_view system : {"irq", "sched"}) {
    data.text(system, system.size() + 1).put(std::uint32_t{1});
    data.put(std::uint64_t{moved_switch.size()}).text(moved_switch, moved_switch.size());
  }
  const std::span<const std::byte> whole = data.bytes();
  CHECK(perf_data::formats_in_tracing_data(whole, "sched").size() == 1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(perf_data::formats_in_tracing_data(whole.first(size), "sched").empty());
  }
  // Sizes and counts of nearly everything.
  std::vector<std::byte> lying(whole.begin(), whole.end());
  for (std::size_t place = 14; place + 8 < 100; ++place) {
    std::vector<std::byte> bytes = lying;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place), 8, std::byte{0xff});
    (void)perf_data::formats_in_tracing_data(bytes, "sched");
  }
}

TEST_CASE("perf script: what a switch says") {
  const auto both = parse_perf_switch(
      "prev_comm=a ==> b prev_pid=3 prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=c d "
      "next_pid=13 next_prio=120");
  REQUIRE(both);
  CHECK(both->previous == 12);
  CHECK(both->next == 13);
  CHECK(both->waits);
  CHECK_FALSE(both->is_for_disk);
  const auto old = parse_perf_switch("my prog:12 [120] D ==> swapper/1:0 [120]");
  REQUIRE(old);
  CHECK(old->previous == 12);
  CHECK(old->next == 0);
  CHECK(old->is_for_disk);
  CHECK_FALSE(
      parse_perf_switch("prev_comm=a prev_pid=1 prev_state=R+ ==> next_comm=b next_pid=2")->waits);
  for (const std::string_view none : {"", "==>", "a ==> b", "prev_state=S ==> next_pid=1",
                                      "prev_pid=x prev_state=S ==> next_pid=1"}) {
    CAPTURE(none);
    CHECK_FALSE(parse_perf_switch(none));
  }
}

TEST_CASE("perf script: switches are waits in the functions that the stack names") {
  if (!have_programs({"gcc"})) return;
  Imported imported("perf-script-waits");
  const std::string program = imported.built.program.string();
  const auto stack = [&](std::string_view call, std::string_view function) {
    return fmt::format(
        "\tffffffff82265ec8 __schedule+0x628 ([kernel.kallsyms])\n"
        "\tffffffff8144aa4d __x64_sys_futex+0x12d ([kernel.kallsyms])\n"
        "\t           8c481 {}+0x10 (/lib/libc.so.6)\n\t{:x} {}+0x1 ({})\n\t{:x} main+0x9 ({})\n\n",
        call, imported.address(function) + 1, function, program, imported.address("main") + 9,
        program);
  };
  const auto change = [](std::string_view from, std::uint32_t thread, std::string_view time,
                         std::string_view state, std::uint32_t next) {
    return fmt::format(
        "{} {} [000] {}: sched:sched_switch: prev_comm={} prev_pid={} prev_prio=120 "
        "prev_state={} ==> next_comm=x next_pid={} next_prio=120\n",
        from, thread, time, from, thread, state, next);
  };
  const std::string idle = "\tffffffff82265ec8 __schedule+0x628 ([kernel.kallsyms])\n\n";
  imported.write("prog 7 1.000000: 1000000 cpu-clock: \n" + stack("memcpy", "leaf") +
                 change("prog", 7, "1.100000", "S", 0) + stack("pthread_mutex_lock", "leaf") +
                 change("swapper", 0, "1.150000", "R", 7) + idle +
                 change("prog", 7, "1.160000", "S", 0) + stack("pthread_cond_wait", "leaf") +
                 change("swapper", 0, "1.180000", "R", 7) + idle +
                 change("prog", 7, "1.190000", "R+", 9) + stack("memcpy", "leaf") +
                 change("x", 9, "1.250000", "S", 7) + idle);
  const auto snapshot = imported.snapshot();
  CHECK(snapshot->metrics().front().name == "cpu-clock");
  std::vector<std::string> names;
  for (const Metric& metric : snapshot->metrics()) names.push_back(metric.name);
  for (const std::string name : {"wait", "wait.lock", "wait.other"}) {
    CHECK(std::ranges::find(names, name) != names.end());
  }
  const auto total = [&](std::string_view cost) {
    const auto view = view_of(snapshot, cost, {});
    REQUIRE(view);
    CHECK((*view)->profile().dimension() == "seconds");
    return (*view)->profile().seconds((*view)->measured().total(imported.symbol("leaf")));
  };
  CHECK(total("wait.lock") == Approx(0.05));
  CHECK(total("wait.other") == Approx(0.02));
  CHECK(total("wait") == Approx(0.07));
}
