// Waits in sidecars: what is written is read back, damage is told, runs add up.
#include <catch2/catch.hpp>

#include "engine/gmon/sidecar.h"
#include "engine/gmon/sidecar_sum.h"
#include "tests/support/gmon_builder.h"
#include "tests/support/live_builder.h"
#include "tests/unit/gmon/sidecar_bytes.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t millisecond = 1'000'000;

// In the order of the format.
Sidecar waiting_sidecar() {
  Sidecar sidecar;
  sidecar.machine = 62;
  sidecar.process.process = 4711;
  sidecar.process.start_time = 1'000;
  sidecar.process.end_time = 1'000 + 900 * millisecond;
  sidecar.process.requested_rate = 100;
  sidecar.process.flags = process_flags::with_waits;
  sidecar.modules = {
      {0x5000'0000,
       {{0x1000}, {0x9000}},
       module_flags::main,
       "/opt/program",
       "program",
       "",
       "gmon.out"},
      {0x7f10'0000'0000, {{0x200}, {0x300}}, 0, "/lib/libc.so.6", "libc.so.6", "", ""}};
  sidecar.names = {"", "pthread_mutex_lock", "read"};
  sidecar.threads = {{4711, false, 0, 0, 0, 0, "main", 0, 1'000},
                     {4712, false, 0, 0, 0, 0, "worker", 0, 2'000}};
  sidecar.wait_stacks = {{700 * millisecond, false, {{0, {0x1010}}, {0, {0x1200}}}},
                         {50 * millisecond, true, {{1, {0x210}}, {0, {0x1100}}}},
                         {0, false, {{0, {0x1310}}}}};
  sidecar.waits = {{0, WaitKind::lock, 100, 600 * millisecond, 12 * millisecond, 1},
                   {0, WaitKind::io, 1, 100 * millisecond, 100 * millisecond, 2},
                   {1, WaitKind::other, 5, 50 * millisecond, 20 * millisecond, 0}};
  sidecar.wait_parts = {
      {0, 0, 0, 200 * millisecond, 40}, {0, 1, 0, 300 * millisecond, 50},
      {0, 1, 8, 100 * millisecond, 10}, {1, 1, 3, 60 * millisecond, 1},
      {1, 1, 4, 40 * millisecond, 1},   {2, no_thread, no_slice, 50 * millisecond, 5}};
  sidecar.wait_holders = {{0, 0, 20, 90 * millisecond}, {0, 2, 80, 500 * millisecond}};
  sidecar.slice_width = 100 * millisecond;
  sidecar.slices = 9;
  return sidecar;
}

std::uint32_t version_of(const std::vector<std::byte>& bytes) {
  return std::to_integer<std::uint32_t>(bytes.at(8));
}

}  // namespace

TEST_CASE("sidecar waits: what is written is read back") {
  const Sidecar sidecar = waiting_sidecar();
  const auto bytes = written(sidecar);
  CHECK(version_of(bytes) == 3);
  const auto read = read_sidecar(bytes, "gmon.out.gpx");
  REQUIRE(read);
  CHECK(read->wait_stacks == sidecar.wait_stacks);
  CHECK(read->waits == sidecar.waits);
  CHECK(read->wait_parts == sidecar.wait_parts);
  CHECK(read->wait_holders == sidecar.wait_holders);
  CHECK(*read == sidecar);
  CHECK(read->name_of(read->waits[1]) == "read");
}

TEST_CASE("sidecar waits: without any, a file is of the version before") {
  Sidecar sidecar = waiting_sidecar();
  sidecar.wait_stacks.clear();
  sidecar.waits.clear();
  sidecar.wait_parts.clear();
  sidecar.wait_holders.clear();
  const auto bytes = written(sidecar);
  CHECK(version_of(bytes) == 2);
  const auto read = read_sidecar(bytes, "gmon.out.gpx");
  REQUIRE(read);
  CHECK(read->process.flags == process_flags::with_waits);
}

TEST_CASE("sidecar waits: the writer puts them into the order of the format") {
  Sidecar mixed = waiting_sidecar();
  std::swap(mixed.wait_stacks[0], mixed.wait_stacks[2]);
  for (SidecarWait& wait : mixed.waits) wait.stack = 2 - wait.stack;
  std::swap(mixed.waits[0], mixed.waits[2]);
  for (SidecarPart& part : mixed.wait_parts) part.whole = 2 - part.whole;
  for (SidecarHolder& holder : mixed.wait_holders) {
    holder.wait = 2 - holder.wait;
    holder.holder = 2 - holder.holder;
  }
  mixed.waits[1].stack = 2;
  mixed.waits[0].stack = 1;
  mixed.waits[2].stack = 2;
  CHECK(written(mixed) == written(waiting_sidecar()));
}

TEST_CASE("sidecar waits: the bytes are those of the documented format") {
  auto sections = sidecar_sections(written(waiting_sidecar()));
  const SidecarSection& stacks = section_of(sections, 12);
  CHECK(stacks.entry_size == 8);
  const SidecarSection& waits = section_of(sections, 13);
  CHECK(waits.entry_size == 48);
  REQUIRE(waits.payload.size() == 3 * 48);
  GmonBytes first({});
  first.u32(0)
      .u32(1)
      .word(100)
      .word(600 * millisecond)
      .word(12 * millisecond)
      .u32(1)
      .u32(0)
      .word(0);
  CHECK(std::equal(waits.payload.begin(), waits.payload.begin() + 32, first.bytes().begin()));
  CHECK(section_of(sections, 14).entry_size == 32);
  const SidecarSection& holders = section_of(sections, 15);
  CHECK(holders.entry_size == 32);
  GmonBytes second({});
  second.u32(0).u32(2).word(80).word(500 * millisecond).word(0);
  CHECK(std::equal(holders.payload.begin() + 32, holders.payload.end(), second.bytes().begin()));
}

TEST_CASE("sidecar waits: kinds of newer collectors count as other") {
  auto sections = sidecar_sections(written(waiting_sidecar()));
  section_of(sections, 13).payload[2 * 48 + 4] = std::byte{77};
  const auto read = read_sidecar(build_sidecar(sections), "gmon.out.gpx");
  REQUIRE(read);
  CHECK(read->waits[2].kind == WaitKind::other);
}

TEST_CASE("sidecar waits: what cannot be is an error that says where") {
  struct Damage {
    std::uint32_t kind;
    std::size_t entry;
    std::size_t offset;  // of four bytes in the entry
    std::uint32_t value;
  };
  const Damage damages[] = {
      {13, 2, 0, 3},            // no such stack
      {13, 1, 4, 0xffffffff},   // an unknown kind comes last
      {13, 0, 32, 0xfffff},     // no such text
      {14, 5, 0, 3},            // no such wait
      {14, 0, 4, 2},            // no such thread
      {14, 2, 8, 9},            // no such slice
      {14, 4, 16, 0xffffffff},  // more than the wait
      {15, 1, 0, 3},            // no such wait
      {15, 1, 4, 3},            // no such stack
      {15, 1, 4, 0},            // twice the same
  };
  for (const Damage& damage : damages) {
    CAPTURE(damage.kind, damage.entry, damage.offset);
    auto sections = sidecar_sections(written(waiting_sidecar()));
    SidecarSection& section = section_of(sections, damage.kind);
    const std::size_t at = damage.entry * section.entry_size + damage.offset;
    for (std::size_t i = 0; i < 4; ++i) {
      section.payload.at(at + i) = static_cast<std::byte>(damage.value >> (8 * i) & 0xffU);
    }
    const auto read = read_sidecar(build_sidecar(sections), "gmon.out.gpx");
    if (damage.value == 0xffffffff && damage.kind == 13) {
      REQUIRE(read);
      continue;
    }
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::corrupt);
    REQUIRE(read.error().offset);
    CHECK(*read.error().offset > 64);
  }
  Sidecar disordered = waiting_sidecar();
  auto sections = sidecar_sections(written(disordered));
  section_of(sections, 13).payload[4] = std::byte{3};  // sleep before io
  CHECK(read_error(build_sidecar(sections)).code == ErrorCode::corrupt);
  section_of(sections, 12).payload[8] = std::byte{200};  // more frames than there are
  CHECK(read_error(build_sidecar(sections)).code == ErrorCode::corrupt);
}

TEST_CASE("sidecar waits: entries that are too short, and counts beyond the file, are refused") {
  for (const std::uint32_t kind : {12U, 13U, 14U, 15U}) {
    CAPTURE(kind);
    auto sections = sidecar_sections(written(waiting_sidecar()));
    section_of(sections, kind).count = std::uint64_t{1} << 40U;
    CHECK(read_error(build_sidecar(sections)).code == ErrorCode::truncated);
    sections = sidecar_sections(written(waiting_sidecar()));
    section_of(sections, kind).entry_size = 4;
    section_of(sections, kind).count = 1;
    CHECK(read_error(build_sidecar(sections)).code == ErrorCode::corrupt);
  }
}

TEST_CASE("sidecar waits: a file cut at any byte is an error") {
  const auto bytes = written(waiting_sidecar());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::byte> cut(bytes.begin(),
                                     bytes.begin() + static_cast<std::ptrdiff_t>(size));
    CAPTURE(size);
    CHECK(read_error(cut).code == ErrorCode::truncated);
  }
}

TEST_CASE("sidecar waits: damage under a right checksum is an error or another sidecar") {
  check_damage(written(waiting_sidecar()), 815, [](const Sidecar& reread, const Sidecar& read) {
    CHECK(reread.waits.size() == read.waits.size());
    CHECK(reread.wait_parts.size() == read.wait_parts.size());
    CHECK(reread.wait_holders.size() == read.wait_holders.size());
  });
}

TEST_CASE("sidecar waits: the writer refuses what a file cannot say") {
  const auto is_refused = [](const auto& change) {
    Sidecar sidecar = waiting_sidecar();
    change(sidecar);
    const auto bytes = write_sidecar(sidecar);
    return !bytes && bytes.error().code == ErrorCode::invalid_argument;
  };
  CHECK(is_refused([](Sidecar& s) { s.waits[0].stack = 3; }));
  CHECK(is_refused([](Sidecar& s) { s.waits[0].function = 3; }));
  CHECK(is_refused([](Sidecar& s) { s.wait_stacks[1].frames.clear(); }));
  CHECK(is_refused([](Sidecar& s) { s.wait_stacks[1].frames[0].module = 2; }));
  CHECK(is_refused([](Sidecar& s) { s.wait_parts[5].whole = 3; }));
  CHECK(is_refused([](Sidecar& s) { s.wait_parts[0].count = 700 * millisecond; }));
  CHECK(is_refused([](Sidecar& s) { s.wait_holders[0].wait = 3; }));
  CHECK(is_refused([](Sidecar& s) { s.wait_holders[0].holder = 3; }));
}

TEST_CASE("sidecar waits: those of several runs add up by stack, kind and function") {
  Sidecar second = waiting_sidecar();
  second.process.process = 4811;
  second.process.start_time += 3600ULL * 1000 * millisecond;
  second.process.end_time += 3600ULL * 1000 * millisecond;
  second.names = {"", "read", "sem_wait", "pthread_mutex_lock"};
  second.waits[0].function = 3;
  second.waits[1].function = 2;  // another function at the same place
  second.waits[0].longest = 30 * millisecond;
  std::swap(second.modules[0], second.modules[1]);
  for (SidecarStack& stack : second.wait_stacks) {
    for (ModuleAddress& frame : stack.frames) frame.module = 1 - frame.module;
  }
  SidecarSum sum("gmon.sum");
  REQUIRE(sum.add(waiting_sidecar(), "gmon.out", "a"));
  REQUIRE(sum.add(second, "gmon.out", "b"));
  const Sidecar total = sum.take();
  const auto bytes = write_sidecar(total);
  REQUIRE(bytes);
  CHECK(*read_sidecar(*bytes, "gmon.sum.gpx") == total);

  REQUIRE(total.wait_stacks.size() == 3);
  CHECK(total.wait_stacks[0].count == 1'400 * millisecond);
  REQUIRE(total.waits.size() == 4);
  CHECK(total.waits[0].times == 200);
  CHECK(total.waits[0].total == 1'200 * millisecond);
  CHECK(total.waits[0].longest == 30 * millisecond);
  CHECK(total.name_of(total.waits[0]) == "pthread_mutex_lock");
  CHECK(total.name_of(total.waits[1]) == "read");
  CHECK(total.name_of(total.waits[2]) == "sem_wait");
  REQUIRE(total.wait_holders.size() == 2);
  CHECK(total.wait_holders[1].time == 1'000 * millisecond);
  std::vector<std::uint64_t> parts(total.waits.size());
  for (const SidecarPart& part : total.wait_parts) parts[part.whole] += part.count;
  for (std::size_t i = 0; i < parts.size(); ++i) CHECK(parts[i] == total.waits[i].total);
  CHECK(total.threads.size() == 4);
}
