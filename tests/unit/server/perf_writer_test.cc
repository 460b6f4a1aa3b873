// Recordings as `gprof-lsp record --pid` writes them: made of records as the kernel has them, and
// read by the readers of perf.data.
#include <bit>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <sys/mman.h>

#include "engine/import/perf_data/perf_format.h"
#include "engine/import/perf_data/perf_sample.h"
#include "server/cli/record/perf_data_writer.h"
#include "server/cli/record/perf_intake.h"
#include "server/cli/record/recorded_process.h"
#include "server/cli/record/sampled_threads.h"
#include "tests/support/converted_recording.h"
#include "tests/support/files.h"
#include "tests/support/perf_data_builder.h"
#include "tests/unit/analysis/imported_program.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

constexpr std::uint32_t process = 7;
constexpr std::uint32_t thread = 8;
constexpr std::uint64_t base = 0x555500000000;
constexpr std::uint64_t event_of_process = 31;
constexpr std::uint64_t event_of_thread = 32;
constexpr std::uint64_t user_mark = static_cast<std::uint64_t>(-512);
constexpr std::uint64_t period = 1'003'009;

perf_event_attr event_with(StackSource stacks) { return sampled_cpu_time({period, stacks}); }

PerfRecordBytes record_of(std::uint32_t type, std::uint16_t misc, const PerfDataBytes& body) {
  PerfDataBytes record(ByteOrder::little);
  record.put(type).put(misc).put(static_cast<std::uint16_t>(8 + body.size())).add(body.bytes());
  return record.bytes();
}

// What all samples begin with.
PerfDataBytes sample_start(std::uint32_t of_thread, std::uint64_t time, std::uint64_t ip,
                           std::uint64_t event) {
  PerfDataBytes body(ByteOrder::little);
  body.put(ip).put(process).put(of_thread).put(time).put(event).put(period);
  return body;
}

PerfRecordBytes sample_with_chain(std::uint32_t of_thread, std::uint64_t time, std::uint64_t event,
                                  const std::vector<std::uint64_t>& frames) {
  PerfDataBytes body = sample_start(of_thread, time, frames.front(), event);
  body.put(std::uint64_t{frames.size() + 1}).put(user_mark);
  for (const std::uint64_t frame : frames) body.put(frame);
  return record_of(perf_data::record::sample, perf_data::misc::user, body);
}

// With room for `room` bytes of the stack, of which `copied` are a copy of it.
PerfRecordBytes sample_with_stack(std::uint64_t room, std::uint64_t copied, bool has_registers) {
  PerfDataBytes body = sample_start(thread, 100, base, event_of_thread);
  body.put(std::uint64_t{1}).put(user_mark);
  body.put(std::uint64_t{has_registers ? 2U : 0U});
  const auto count = std::popcount(event_with(StackSource::copies).sample_regs_user);
  for (int i = 0; has_registers && i < count; ++i) body.put(std::uint64_t{1000U} + i);
  body.put(room);
  for (std::uint64_t i = 0; i < room; ++i) {
    body.put(static_cast<std::uint8_t>(i < copied ? 1 + i % 200 : 0xee));
  }
  if (room != 0) body.put(copied);
  return record_of(perf_data::record::sample, perf_data::misc::user, body);
}

// A thread's beginning or end.
PerfRecordBytes thread_record(std::uint32_t type, std::uint32_t of_thread) {
  PerfDataBytes body(ByteOrder::little);
  body.put(process).put(process).put(of_thread).put(process).put(std::uint64_t{1});
  body.put(process).put(of_thread).put(std::uint64_t{1}).put(event_of_process);
  return record_of(type, 0, body);
}

struct Intake {
  std::vector<PerfRecordBytes> written;
  PerfIntake intake;

  explicit Intake(StackSource stacks)
      : intake(process, event_with(stacks),
               {{event_of_process, process}, {event_of_thread, thread}},
               [this](std::span<const std::byte> record) {
                 written.emplace_back(record.begin(), record.end());
               }) {}
  void take(const PerfRecordBytes& record) { intake.take(record); }
  [[nodiscard]] const IntakeCounts& counts() const { return intake.counts(); }
};

// The copied stack of a written sample.
std::vector<std::byte> stack_of(const PerfRecordBytes& record) {
  perf_data::PerfAttr attr;
  const perf_event_attr event = event_with(StackSource::copies);
  attr.sample_type = event.sample_type;
  attr.user_registers = event.sample_regs_user;
  perf_data::PerfRecord read;
  read.type = perf_data::record::sample;
  read.body = std::span(record).subspan(8);
  std::uint16_t size = 0;
  std::memcpy(&size, record.data() + 6, sizeof size);
  CHECK(size == record.size());
  const auto sample = perf_data::parse_sample(read, attr, ByteOrder::little);
  REQUIRE(sample);
  CHECK(sample->period == period);
  return {sample->stack.begin(), sample->stack.end()};
}

constexpr std::string_view maps_text =
    "7f0000000000-7f0000001000 r--p 00000000 fe:00 11    /usr/lib/libc.so.6\n"
    "7f0000001000-7f0000002000 r-xp 00001000 fe:00 11    /usr/lib/libc.so.6\n"
    "7f1000000000-7f1000001000 rwxp 00000000 00:00 0 \n"
    "555500001000-555500002000 r-xp 00001000 08:01 42    /home/a program (deleted)\n"
    "555500003000-555500004000 rw-p 00003000 08:01 42    /home/a program (deleted)\n"
    "7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0     [vdso]\n"
    "nonsense\n"
    "\n";

}  // namespace

TEST_CASE("attach: samples of a process and its thread are read back with their stacks") {
  if (!have_programs({"gcc"})) return;
  Imported imported("perf-writer");
  const std::string program = imported.built.program.string();
  const auto folder = fresh_directory("perf-writer-output");
  const auto path = folder / "perf.data";
  auto writer = PerfDataWriter::create(path, event_with(StackSource::frame_pointers),
                                       {event_of_process, event_of_thread});
  REQUIRE(writer);
  CHECK_FALSE(std::filesystem::exists(path));
  Intake intake(StackSource::frame_pointers);
  RecordedMapping mapping;
  mapping.protection = PROT_READ | PROT_EXEC;
  mapping.low = base;
  mapping.high = base + 0x100000;
  mapping.path = program;
  writer->add(mapping_record(process, mapping, event_of_process));
  writer->add(thread_name_record(process, process, "prog", event_of_process));
  writer->add(thread_name_record(process, thread, "a name that is too long", event_of_process));
  const std::uint64_t leaf = imported.in_process("leaf", base) + 1;
  const std::uint64_t main = imported.in_process("main", base) + 9;
  for (std::uint64_t i = 0; i < 3; ++i) {
    intake.take(sample_with_chain(thread, 1000 + i, event_of_thread, {leaf, main}));
    intake.take(sample_with_chain(process, 2000 + i, event_of_process, {main}));
  }
  intake.take(sample_with_chain(thread, 3000, event_of_thread, {leaf, main}));
  for (const PerfRecordBytes& record : intake.written) writer->add(record);
  writer->end_round();
  const auto id = imported.program->image().build_id();
  PerfDataFeatures features{"cpu-clock:u", "6.1.0", "x86_64", {}};
  features.builds[program] = {{id.begin(), id.end()}, false};
  features.builds["[kernel.kallsyms]"] = {std::vector<std::byte>(20, std::byte{0xab}), true};
  const std::uint64_t size = writer->size();
  REQUIRE(writer->finish(features));
  CHECK(std::filesystem::file_size(path) > size);

  const auto file = InputFile::open(path);
  REQUIRE(file);
  auto layout = perf_data::PerfDataFile::open(perf_data::PerfBytes(*file));
  REQUIRE(layout);
  CHECK(layout->warnings().empty());
  CHECK(layout->machine() == "x86_64");
  REQUIRE(layout->attrs().size() == 1);
  CHECK(layout->attrs()[0].name == "cpu-clock:u");
  CHECK(layout->attrs()[0].ids == std::vector{event_of_process, event_of_thread});
  std::string digits;
  for (int i = 0; i < 20; ++i) digits += "ab";
  CHECK(layout->build_ids().at("[kernel.kallsyms]") == digits);

  const auto found = program_of_perf_data(perf_data::PerfBytes(*file));
  REQUIRE(found);
  REQUIRE(*found);
  CHECK((*found)->path == program);
  CHECK_FALSE((*found)->build_id.empty());
  const ImportTarget target{imported.program->symbols(), imported.program->code(), program,
                            [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
  Warnings warnings;
  const auto read =
      converted_recording(perf_data::PerfBytes(*file), target, imported.program->image(), warnings);
  if (!read) FAIL(describe(read.error()));
  for (const Error& warning : warnings) FAIL_CHECK(describe(warning));
  CHECK(read->metric.unit == "seconds");
  CHECK(read->raw.rate == 997);
  REQUIRE(read->sidecar);
  REQUIRE(read->sidecar->threads.size() == 2);
  CHECK(read->sidecar->threads[0].name == "a name that is ");
  CHECK(read->sidecar->threads[1].name == "prog");
  CHECK(read->sidecar->process.samples == 7);
  REQUIRE(read->sidecar->stacks.size() == 2);
}

TEST_CASE("attach: a recording that is not finished leaves no file") {
  const auto folder = fresh_directory("perf-writer-unfinished");
  {
    auto writer = PerfDataWriter::create(folder / "perf.data", event_with(StackSource::none),
                                         {event_of_process});
    REQUIRE(writer);
    writer->end_round();
  }
  CHECK(std::filesystem::is_empty(folder));
  CHECK_FALSE(PerfDataWriter::create(folder / "missing" / "perf.data",
                                     event_with(StackSource::none), {event_of_process}));
}

TEST_CASE("attach: copies of stacks are cut to what was copied") {
  Intake intake(StackSource::copies);
  const auto written_stack = [&](std::uint64_t room, std::uint64_t copied, bool has_registers) {
    intake.take(sample_with_stack(room, copied, has_registers));
    return stack_of(intake.written.back());
  };
  for (const bool has_registers : {true, false}) {
    for (const std::uint64_t copied : {0U, 1U, 8U, 1000U, 1001U, 2048U}) {
      INFO(copied);
      const std::vector<std::byte> stack = written_stack(2048, copied, has_registers);
      REQUIRE(stack.size() == copied);
      for (std::size_t i = 0; i < stack.size(); ++i) {
        REQUIRE(stack[i] == static_cast<std::byte>(1 + i % 200));
      }
    }
  }
  CHECK(written_stack(0, 0, true).empty());
  CHECK(intake.written[1].size() < intake.written[5].size() - 2000);
  // What is not as the event says is passed on as it is.
  PerfRecordBytes damaged = sample_with_stack(2048, 100, true);
  damaged.resize(damaged.size() - 16);
  const auto size = static_cast<std::uint16_t>(damaged.size());
  std::memcpy(damaged.data() + 6, &size, sizeof size);
  intake.take(damaged);
  CHECK(intake.written.back() == damaged);
}

TEST_CASE("attach: a thread that has two events has each sample once") {
  Intake intake(StackSource::frame_pointers);
  intake.take(sample_with_chain(thread, 1, event_of_thread, {base}));
  intake.take(sample_with_chain(thread, 2, event_of_process, {base}));
  CHECK(intake.written.size() == 1);
  // A thread that has only inherited its event.
  intake.take(thread_record(perf_data::record::fork, 9));
  intake.take(sample_with_chain(9, 3, event_of_process, {base}));
  CHECK(intake.counts().samples == 2);
  CHECK(intake.counts().threads == std::set<std::uint32_t>{process, thread, 9});
  // The number of a thread that has ended, for another one.
  intake.take(thread_record(perf_data::record::exit, thread));
  intake.take(thread_record(perf_data::record::fork, thread));
  intake.take(sample_with_chain(thread, 4, event_of_process, {base}));
  CHECK(intake.counts().samples == 3);
  CHECK(intake.counts().threads.size() == 3);
}

TEST_CASE("attach: lost records and files that are mapped later are noted") {
  Intake intake(StackSource::none);
  PerfDataBytes lost(ByteOrder::little);
  lost.put(event_of_process).put(std::uint64_t{41});
  intake.take(record_of(perf_data::record::lost, 0, lost));
  PerfDataBytes lost_samples(ByteOrder::little);
  lost_samples.put(std::uint64_t{1});
  intake.take(record_of(perf_data::record::lost_samples, 0, lost_samples));
  CHECK(intake.counts().lost == 42);
  const auto mappings = recorded_mappings(maps_text, "");
  for (const RecordedMapping& mapping : mappings) {
    intake.take(mapping_record(process, mapping, event_of_process));
  }
  CHECK(intake.counts().code_files ==
        std::set<std::string>{"/home/a program", "/usr/lib/libc.so.6"});
  CHECK(intake.written.size() == 2 + mappings.size());
  // Shorter than any record of its type.
  for (const std::uint32_t type : {2U, 4U, 7U, 9U, 10U, 13U}) {
    intake.take(record_of(type, 0, PerfDataBytes(ByteOrder::little)));
  }
  CHECK(intake.counts().code_files.size() == 2);
}

TEST_CASE("attach: mappings with code, and of files, are listed, those of the program first") {
  const auto mappings = recorded_mappings(maps_text, "/home/a program");
  std::string text;
  for (const RecordedMapping& mapping : mappings) {
    text += fmt::format("{:x}+{:x} {:x} {:x}:{:x} {} {} {}\n", mapping.low,
                        mapping.high - mapping.low, mapping.offset, mapping.major, mapping.minor,
                        mapping.inode, mapping.protection, mapping.path);
  }
  CHECK(text ==
        "555500001000+1000 1000 8:1 42 5 /home/a program\n"
        "7f0000000000+1000 0 fe:0 11 1 /usr/lib/libc.so.6\n"
        "7f0000001000+1000 1000 fe:0 11 5 /usr/lib/libc.so.6\n"
        "7f1000000000+1000 0 0:0 0 7 //anon\n"
        "7ffc00000000+2000 0 0:0 0 5 [vdso]\n");
  CHECK(recorded_mappings("", "").empty());
}

TEST_CASE("attach: lists of CPUs") {
  CHECK(cpus_in("0") == std::vector{0});
  CHECK(cpus_in("0-2,7,9-10") == std::vector{0, 1, 2, 7, 9, 10});
  for (const std::string_view wrong : {"", "x", "3-1", "0-", "0,", "0-99999999", "1 2", "-1"}) {
    INFO(wrong);
    CHECK(cpus_in(wrong).empty());
  }
}
