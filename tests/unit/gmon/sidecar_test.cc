#include "engine/gmon/sidecar.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "tests/support/gmon_builder.h"
#include "tests/support/live_builder.h"
#include "tests/support/process.h"
#include "tests/unit/gmon/sidecar_bytes.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// Everything a sidecar can hold, in the order of the format.
Sidecar full_sidecar() {
  Sidecar sidecar;
  sidecar.machine = 62;
  sidecar.process = {4711,
                     4700,
                     1'000'000,
                     2'000'000,
                     Ending::killed,
                     -9,
                     250,
                     SampleSource::perf_clock,
                     process_flags::with_stacks | process_flags::forked,
                     3,
                     77'000,
                     40,
                     41,
                     5'000'000'042,
                     1,
                     2,
                     3,
                     1234,
                     {70'000, 800, 12, 30, 4'000'000},
                     4700};
  sidecar.modules = {
      {0x5000'0000,
       {{0x1000}, {0x9000}},
       module_flags::main | module_flags::profiled,
       "/opt/program",
       "program",
       "0123456789abcdef",
       "gmon.out"},
      {0x7f00'0000'0000,
       {{0x400}, {0x800}},
       module_flags::profiled | module_flags::unloaded,
       "/opt/libone.so",
       "libone.so",
       "",
       "gmon.out.libone.so"},
      {0x7f10'0000'0000, {{0x200}, {0x300}}, 0, "/lib/libc.so.6", "libc.so.6", "ff", ""}};
  sidecar.names = {"", "bsearch", "qsort"};
  sidecar.arcs = {{{0, {0x1010}}, {0, {0x1100}}, {}, 0, {}, 0, 5'000'000'000},
                  {{0, {0x1010}}, {1, {0x410}}, {}, 0, {}, 0, 1},
                  {{2, {0x210}}, {0, {0x1200}}, {0, {0x1020}}, arc_flags::via, {2, {0x220}}, 2, 40},
                  {{2, {0x218}}, {0, {0x1200}}, {}, arc_flags::via, {2, {0x240}}, 1, 1},
                  {{no_module, {0x7fff'0000}}, {0, {0x1200}}, {}, arc_flags::via, {}, 0, 1}};
  sidecar.threads = {{4711, false, 5'000'000'000, 30, 29, 70'000, "program", 0, 1'000'100},
                     {4712, true, 42, 11, 11, 7'000, "parser", 4700, 1'000'200}};
  sidecar.samples = {
      {{0, {0x1011}}, 200'000, 0, 150'000}, {{2, {0x201}}, 3, 6, 2}, {{no_module, {0x10}}, 1}};
  sidecar.stacks = {{200'000, false, {{0, {0x1011}}, {0, {0x1020}}}},
                    {1, true, {{2, {0x201}}, {no_module, {0x10}}}},
                    {1, false, {{2, {0x202}}}},
                    {1,
                     false,
                     {{2, {0x203}},
                      {0, {0x1030}},
                      {0, {0x1040}},
                      {stack_marks::repeat + 2, {1ULL << 60}},
                      {stack_marks::left_out, {1'000'000}},
                      {0, {0x1050}}},
                     5}};
  sidecar.arc_parts = {{0, 0, no_slice, 4'000'000'000},
                       {0, 1, no_slice, 999'999'999},
                       {0, no_thread, no_slice, 1},
                       {3, no_thread, no_slice, 1}};
  sidecar.sample_parts = {{0, 0, 0, 1},
                          {0, 0, 7, 100'000, 0, 90'000},
                          {0, 0, no_slice, 5},
                          {0, 1, 7, 99'994, 0, 60'000},
                          {1, 1, 8, 3, 6, 2}};
  sidecar.stack_parts = {{0, 0, 7, 100'000}, {0, 1, 7, 100'000}, {3, 1, 8, 1}};
  sidecar.slice_width = 2'000'000;
  sidecar.slices = 9;
  return sidecar;
}

}  // namespace

TEST_CASE("sidecar: a repetition has its group before it") {
  for (const std::uint32_t length : {2U, 3U, 4U, 254U, 0xfffffffeU}) {
    CAPTURE(length);
    Sidecar sidecar = full_sidecar();
    sidecar.stack_parts.clear();
    sidecar.stacks = {{9, false, {{2, {0x202}}, {0, {0x1030}}, {stack_marks::repeat + 2, {5}}}}};
    auto sections = sidecar_sections(written(sidecar));
    auto& stacks = section_of(sections, 7).payload;
    // After the head and two frames: no module, then the mark.
    for (std::size_t i = 0; i < 4; ++i) {
      stacks[16 + 2 * 16 + 4 + i] = static_cast<std::byte>(length >> (8 * i) & 0xffU);
    }
    const auto read = read_sidecar(build_sidecar(sections), "gmon.out.gpx");
    CHECK(read.has_value() == (length == 2));
    if (!read) CHECK(read.error().code == ErrorCode::corrupt);
  }
}

TEST_CASE("sidecar: what is written is read back") {
  const Sidecar sidecar = full_sidecar();
  const auto read = read_sidecar(written(sidecar), "gmon.out.gpx");
  REQUIRE(read);
  CHECK(read->process == sidecar.process);
  CHECK(read->modules == sidecar.modules);
  CHECK(read->names == sidecar.names);
  CHECK(read->arcs == sidecar.arcs);
  CHECK(read->threads == sidecar.threads);
  CHECK(read->samples == sidecar.samples);
  CHECK(read->stacks == sidecar.stacks);
  CHECK(read->arc_parts == sidecar.arc_parts);
  CHECK(read->sample_parts == sidecar.sample_parts);
  CHECK(read->stack_parts == sidecar.stack_parts);
  CHECK(*read == sidecar);
  CHECK(read->name_of(read->arcs[2]) == "qsort");
  CHECK(read->name_of(read->arcs[0]).empty());
  CHECK(*read_sidecar(written(Sidecar()), "gmon.out.gpx") == Sidecar());
}

TEST_CASE("sidecar: the bytes are those of the documented format") {
  Sidecar sidecar;
  sidecar.machine = 62;
  sidecar.process.process = 4711;
  sidecar.process.process_start = 77;
  sidecar.process.ending = Ending::killed;
  sidecar.process.exit_status = 9;
  sidecar.modules = {{0x5000, {{0x10}, {0x20}}, 1, "/p", "p", "ab", "gmon.out"}};
  sidecar.names = {"", "qsort"};
  sidecar.arcs = {{{0, {0x12}}, {0, {0x14}}, {0, {0x16}}, 1, {no_module, {0x18}}, 1, 7}};
  sidecar.samples = {{{0, {0x12}}, 8, 56, 5}};
  sidecar.threads = {{4711, true, 7, 8, 6, 5, "t", 12, 13}};
  sidecar.stacks = {{9, true, {{0, {0x12}}}}};
  sidecar.arc_parts = {{0, no_thread, no_slice, 7}};
  sidecar.sample_parts = {{0, 0, 3, 8, 56, 4}};
  sidecar.stack_parts = {{0, 0, 2, 9}};
  sidecar.slice_width = 1'000'000;
  sidecar.slices = 4;

  std::vector<SidecarSection> sections;
  const auto add = [&](std::uint32_t kind, std::uint32_t entry_size, const GmonBytes& bytes) {
    sections.push_back({kind, entry_size, bytes.bytes().size() / entry_size, bytes.bytes()});
  };
  GmonBytes strings({});
  strings.u8(0).zero_terminated("qsort").zero_terminated("/p").zero_terminated("p");
  add(1, 1, strings.zero_terminated("ab").zero_terminated("gmon.out").zero_terminated("t"));
  GmonBytes process({});
  process.u32(4711).u32(0).word(0).word(0).u32(6).u32(9).u32(0).u32(0).u32(0).u32(0);
  add(2, 176, process.text("", 128));
  GmonBytes module({});
  module.word(0x5000).word(0x10).word(0x20).u32(1).u32(7).u32(10).u32(12).u32(15).u32(0);
  add(3, 48, module);
  GmonBytes arc({});
  arc.u32(0).u32(0).word(0x12).word(0x14).u32(0).u32(1).word(0x16);
  add(4, 64, arc.u32(no_module).u32(1).word(0x18).word(7));
  GmonBytes thread({});
  add(5, 56, thread.u32(4711).u32(1).word(7).word(8).word(6).word(5).u32(24).u32(12).word(13));
  GmonBytes sample({});
  add(6, 40, sample.u32(0).u32(0).word(0x12).word(8).word(56).word(5));
  GmonBytes stack({});
  add(7, 8, stack.word(9).u32(1).u32(1).u32(0).u32(0).word(0x12));
  GmonBytes timeline({});
  add(8, 16, timeline.word(1'000'000).u32(4).u32(0));
  GmonBytes arc_part({});
  add(9, 32, arc_part.u32(0).u32(no_thread).u32(no_slice).u32(0).word(7).word(0));
  GmonBytes sample_part({});
  add(10, 32, sample_part.u32(0).u32(0).u32(3).u32(4).word(8).word(56));
  GmonBytes stack_part({});
  add(11, 32, stack_part.u32(0).u32(0).u32(2).u32(0).word(9).word(0));

  auto expected = build_sidecar(sections);
  // The header also says who wrote the file.
  const auto writer = GmonBytes({}).word(77).u32(4711).u32(6).bytes();
  std::copy(writer.begin(), writer.end(), expected.begin() + 32);
  CHECK(written(sidecar) == expected);
  CHECK(*read_sidecar(expected, "gmon.out.gpx") == sidecar);
}

TEST_CASE("sidecar: a file that does not say how good its samples are is read") {
  GmonBytes process({});
  process.u32(4711).u32(0).word(0).word(0).u32(6).u32(9).u32(0).u32(0).u32(0).u32(0);
  process.word(1).word(2).word(3).word(4).text("", 32);
  GmonBytes strings({});
  GmonBytes sample({});
  sample.u32(no_module).u32(0).word(0x12).word(8);
  GmonBytes thread({});
  thread.u32(4711).u32(1).word(7).word(8).word(6).word(5);
  const auto read = read_sidecar(build_sidecar({{1, 1, 1, strings.u8(0).bytes()},
                                                {2, 112, 1, process.bytes()},
                                                {5, 40, 1, thread.bytes()},
                                                {6, 24, 1, sample.bytes()}},
                                               64, 1),
                                 "gmon.out.gpx");
  REQUIRE(read);
  CHECK(read->process.calls == 4);
  CHECK(read->process.sampling == SamplingQuality{});
  CHECK(read->samples == std::vector<SidecarSample>{{{no_module, {0x12}}, 8, 0}});
  CHECK(read->threads == std::vector<SidecarThread>{{4711, true, 7, 8, 6, 5}});
  CHECK(read->sample_parts.empty());
  CHECK(read->slices == 0);
}

TEST_CASE("sidecar: a file that does not mark time in the kernel is read") {
  Sidecar sidecar = full_sidecar();
  for (SidecarSample& sample : sidecar.samples) sample.kernel_count = 0;
  for (SidecarPart& part : sidecar.sample_parts) part.kernel_count = 0;
  auto sections = sidecar_sections(written(sidecar));
  SidecarSection& samples = section_of(sections, 6);
  std::vector<std::byte> older;
  for (std::size_t i = 0; i < samples.count; ++i) {
    const auto entry = samples.payload.begin() + static_cast<std::ptrdiff_t>(i * 40);
    older.insert(older.end(), entry, entry + 32);
  }
  samples.entry_size = 32;
  samples.payload = older;
  const auto read = read_sidecar(build_sidecar(sections), "gmon.out.gpx");
  REQUIRE(read);
  CHECK(read->samples == sidecar.samples);
  CHECK(read->sample_parts == sidecar.sample_parts);
}

TEST_CASE("sidecar: the writer puts everything into the order of the format") {
  const Sidecar sorted = full_sidecar();
  Sidecar sidecar = sorted;
  std::reverse(sidecar.arcs.begin(), sidecar.arcs.end());
  std::reverse(sidecar.samples.begin(), sidecar.samples.end());
  std::reverse(sidecar.stacks.begin(), sidecar.stacks.end());
  // Parts follow their wholes.
  const auto reverse = [](std::vector<SidecarPart>& parts, std::size_t wholes) {
    for (SidecarPart& part : parts)
      part.whole = static_cast<std::uint32_t>(wholes) - 1 - part.whole;
    std::reverse(parts.begin(), parts.end());
  };
  reverse(sidecar.arc_parts, sidecar.arcs.size());
  reverse(sidecar.sample_parts, sidecar.samples.size());
  reverse(sidecar.stack_parts, sidecar.stacks.size());
  sidecar.names.push_back("of no arc");
  CHECK(written(sidecar) == written(sorted));
}

TEST_CASE("sidecar: the writer refuses what a file cannot say") {
  const auto is_refused = [](auto change) {
    Sidecar sidecar = full_sidecar();
    change(sidecar);
    const auto bytes = write_sidecar(sidecar);
    return !bytes && bytes.error().code == ErrorCode::invalid_argument;
  };
  CHECK(is_refused([](Sidecar& s) { s.arcs[0].profiled_caller.module = 3; }));
  CHECK(is_refused([](Sidecar& s) { s.arcs[0].via_name = 3; }));
  CHECK(is_refused([](Sidecar& s) { s.samples[0].place.module = 3; }));
  CHECK(is_refused([](Sidecar& s) { s.stacks[0].frames[1].module = 3; }));
  CHECK(is_refused([](Sidecar& s) { s.stacks[0].frames.clear(); }));
  CHECK(is_refused([](Sidecar& s) { s.names[0] = "not empty"; }));
  CHECK(is_refused([](Sidecar& s) { s.names[1] = std::string("a\0b", 3); }));
  CHECK(is_refused([](Sidecar& s) { s.modules[0].path = std::string("a\0b", 3); }));
  CHECK(is_refused([](Sidecar& s) { s.threads[0].name = std::string("a\0b", 3); }));
  CHECK(is_refused([](Sidecar& s) { s.arc_parts[0].whole = 5; }));
  CHECK(is_refused([](Sidecar& s) { s.sample_parts[0].thread = 2; }));
  CHECK(is_refused([](Sidecar& s) { s.stack_parts[0].slice = 9; }));
  CHECK(is_refused([](Sidecar& s) { ++s.stack_parts[0].count; }));
  CHECK(is_refused([](Sidecar& s) { ++s.sample_parts[4].excess_variance; }));
  CHECK(is_refused([](Sidecar& s) { s.samples[1].kernel_count = 4; }));
  CHECK(is_refused([](Sidecar& s) { ++s.sample_parts[1].kernel_count; }));
  CHECK(is_refused([](Sidecar& s) { s.sample_parts[1] = s.sample_parts[0]; }));
  CHECK(is_refused([](Sidecar& s) { s.slices = 4097; }));
  CHECK(is_refused([](Sidecar& s) { s.slice_width = 0; }));
}

TEST_CASE("sidecar: unknown sections are passed over, in any order") {
  const Sidecar sidecar = full_sidecar();
  auto sections = sidecar_sections(written(sidecar));
  sections.insert(sections.begin() + 2, {99, 3, 3, std::vector<std::byte>(9)});
  sections.insert(sections.begin(), {0, 0, 1'000'000'000'000, {}});
  sections.push_back({99, 0, 0, {}});
  auto read = read_sidecar(build_sidecar(sections), "gmon.out.gpx");
  REQUIRE(read);
  CHECK(*read == sidecar);
  std::reverse(sections.begin(), sections.end());
  read = read_sidecar(build_sidecar(sections, 128), "gmon.out.gpx");
  REQUIRE(read);
  CHECK(*read == sidecar);
}

TEST_CASE("sidecar: fields beyond the known part of an entry are ignored") {
  const Sidecar sidecar = full_sidecar();
  for (const std::uint32_t kind : {2U, 3U, 4U, 5U, 6U, 8U, 9U, 10U, 11U}) {
    auto sections = sidecar_sections(written(sidecar));
    SidecarSection& section = section_of(sections, kind);
    std::vector<std::byte> wider;
    for (std::uint64_t i = 0; i < section.count; ++i) {
      const auto entry = section.payload.begin() + i * section.entry_size;
      wider.insert(wider.end(), entry, entry + section.entry_size);
      wider.insert(wider.end(), 12, std::byte{0xee});
    }
    section.payload = wider;
    section.entry_size += 12;
    const auto read = read_sidecar(build_sidecar(sections), "gmon.out.gpx");
    CAPTURE(kind);
    REQUIRE(read);
    CHECK(*read == sidecar);

    section.entry_size = 8;
    section.count = section.payload.size() / 8;
    CHECK(read_error(build_sidecar(sections)).code == ErrorCode::corrupt);
  }
}

TEST_CASE("sidecar: numbers of newer collectors are kept") {
  Sidecar sidecar = full_sidecar();
  sidecar.process.ending = static_cast<Ending>(77);
  sidecar.process.sample_source = static_cast<SampleSource>(78);
  sidecar.process.flags = 0x8000'0000;
  const auto read = read_sidecar(written(sidecar), "gmon.out.gpx");
  REQUIRE(read);
  CHECK(*read == sidecar);
}

TEST_CASE("sidecar: a file cut at any byte is an error") {
  const auto bytes = written(full_sidecar());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + size);
    CAPTURE(size);
    const Error error = read_error(cut);
    CHECK(error.code == ErrorCode::truncated);
    REQUIRE(error.offset);
    CHECK(*error.offset <= size);
    // Also if the header gives the shorter size. A file cut between sections is one with fewer
    // sections, and may be read.
    repair_sidecar(cut);
    if (const auto read = read_sidecar(cut, "gmon.out.gpx")) {
      CHECK(size % 8 == 0);
      CHECK(*read != full_sidecar());
    }
  }
}

TEST_CASE("sidecar: any changed byte is noticed") {
  const auto bytes = written(full_sidecar());
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    // The machine and the reserved bytes of the header have no checksum.
    if (place >= 28 && place < 64) continue;
    for (const std::byte change : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
      auto damaged = bytes;
      damaged[place] ^= change;
      // Another version that is read has the same sections.
      if (place == 8 &&
          gprof_formats::is_known_sidecar(std::to_integer<std::uint32_t>(damaged[8]))) {
        continue;
      }
      CAPTURE(place);
      CHECK_FALSE(read_error(damaged).message.empty());
    }
  }
}

TEST_CASE("sidecar: damage under a right checksum is an error or another sidecar") {
  check_damage(written(full_sidecar()), 4711, [](const Sidecar& reread, const Sidecar& read) {
    CHECK(reread.process == read.process);
    CHECK(reread.modules == read.modules);
    CHECK(reread.sample_parts.size() == read.sample_parts.size());
  });
}

TEST_CASE("sidecar: announced counts beyond the file are refused before anything is allocated") {
  for (const std::uint64_t count :
       {std::uint64_t{1'000'000}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    for (std::uint32_t kind = 1; kind <= 11; ++kind) {
      auto sections = sidecar_sections(written(full_sidecar()));
      section_of(sections, kind).count = count;
      CAPTURE(count, kind);
      CHECK(read_error(build_sidecar(sections)).code == ErrorCode::truncated);
    }
  }
  auto sections = sidecar_sections(written(full_sidecar()));
  auto& stacks = section_of(sections, 7).payload;
  for (std::size_t i = 8; i < 12; ++i) stacks[i] = std::byte{0xff};
  CHECK(read_error(build_sidecar(sections)).code == ErrorCode::corrupt);
}

TEST_CASE("sidecar: texts that lie within one another do not fill the memory") {
  // Each of many arcs has a different tail of one long text as its name.
  constexpr std::uint32_t count = 100'000;
  GmonBytes strings({});
  strings.u8(0).text(std::string(count, 'x'), count).u8(0);
  GmonBytes arcs({});
  for (std::uint32_t i = 0; i < count; ++i) {
    arcs.text("", 44).u32(1 + i).text("", 16);
  }
  auto sections = sidecar_sections(written(Sidecar()));
  section_of(sections, 1) = {1, 1, strings.bytes().size(), strings.bytes()};
  section_of(sections, 3) = {3, 48, 1, std::vector<std::byte>(48)};
  section_of(sections, 4) = {4, 64, count, arcs.bytes()};
  CHECK(read_error(build_sidecar(sections)).code == ErrorCode::corrupt);
}

TEST_CASE("sidecar: other files and other versions are told apart") {
  const auto sidecar = written(full_sidecar());
  GmonBytes gmon({});
  append_gnu_header(gmon, 1, std::nullopt);
  auto other = gmon.bytes();
  other.resize(200);
  CHECK(read_error(other).code == ErrorCode::wrong_format);
  auto newer = sidecar;
  newer[8] = std::byte{4};
  CHECK(read_error(newer).code == ErrorCode::unsupported);
  auto longer = sidecar;
  longer.resize(longer.size() + 8);
  CHECK(read_error(longer).code == ErrorCode::corrupt);
  auto twice = sidecar_sections(sidecar);
  twice.push_back(twice[1]);
  CHECK(read_error(build_sidecar(twice)).code == ErrorCode::corrupt);
  auto without_process = sidecar_sections(sidecar);
  without_process.erase(without_process.begin() + 1);
  CHECK(read_error(build_sidecar(without_process)).code == ErrorCode::corrupt);
}

TEST_CASE("sidecar: parts that cannot be are errors that say where") {
  struct Damage {
    std::uint32_t kind;
    std::size_t entry;
    std::size_t offset;  // of four bytes in the entry
    std::uint32_t value;
  };
  const Damage damages[] = {
      {9, 3, 0, 5},           // no such arc
      {10, 2, 0, 3},          // no such sample
      {11, 2, 0, 4},          // no such stack
      {10, 0, 4, 2},          // no such thread
      {10, 0, 8, 9},          // no such slice
      {10, 1, 8, 0},          // twice the same
      {10, 3, 4, 0},          // not ascending
      {11, 1, 16, 100'001},   // more than there are
      {10, 4, 24, 7},         // more excess variance
      {10, 3, 12, 60'001},    // more in the kernel than of the place
      {6, 0, 32, 200'001},    // than samples
      {9, 1, 20, 0xffffffff}  // far more
  };
  for (const Damage& damage : damages) {
    CAPTURE(damage.kind, damage.entry, damage.offset);
    const auto whole = written(full_sidecar());
    auto sections = sidecar_sections(whole);
    SidecarSection& section = section_of(sections, damage.kind);
    const std::size_t at = damage.entry * section.entry_size + damage.offset;
    for (std::size_t i = 0; i < 4; ++i) {
      section.payload.at(at + i) = static_cast<std::byte>(damage.value >> (8 * i) & 0xffU);
    }
    const Error error = read_error(build_sidecar(sections));
    CHECK(error.code == ErrorCode::corrupt);
    REQUIRE(error.offset);
    // The entry, or the next one, which then is out of order.
    std::uint64_t begin = 64;
    for (const SidecarSection& one : sections) {
      if (one.kind == damage.kind) break;
      begin += 16 + (one.payload.size() + 7) / 8 * 8;
    }
    begin += 16;
    CHECK(*error.offset >= begin + damage.entry * section.entry_size);
    CHECK(*error.offset <= begin + (damage.entry + 1) * section.entry_size);
  }
  const auto with_timeline = [](std::uint64_t width, std::uint32_t slices) {
    auto sections = sidecar_sections(written(full_sidecar()));
    GmonBytes timeline({});
    section_of(sections, 8).payload = timeline.word(width).u32(slices).u32(0).bytes();
    return build_sidecar(sections);
  };
  CHECK(read_sidecar(with_timeline(1, 4096), "gmon.out.gpx"));
  CHECK(read_error(with_timeline(1, 4097)).code == ErrorCode::corrupt);
  CHECK(read_error(with_timeline(0, 9)).code == ErrorCode::corrupt);
  CHECK(read_error(with_timeline(std::uint64_t{1} << 51U, 9)).code == ErrorCode::corrupt);
  CHECK(read_error(with_timeline(1, 8)).code == ErrorCode::corrupt);
}

TEST_CASE("sidecar: files are read by name") {
  const auto path = work_directory() / "sidecar_test.gpx";
  const auto bytes = written(full_sidecar());
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  const auto read = read_sidecar_file(path);
  REQUIRE(read);
  CHECK(*read == full_sidecar());
  std::filesystem::remove(path);
  const auto missing = read_sidecar_file(path);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
}

TEST_CASE("sidecar: what the tick has missed counts among what goes with it") {
  SidecarProcess process;
  process.requested_rate = 100;
  process.cpu_time = 2'000'000'000;
  process.sampling = {1'500'000'000, 100'000'000, 7, 30, 4'000'000};
  process.sample_source = SampleSource::perf_clock;
  CHECK(sampling_quality(process) == process.sampling);
  process.sample_source = SampleSource::thread_timers;
  // 0.4 s were not covered.
  CHECK(sampling_quality(process).tick_samples == 70);
  process.sampling.covered_time = 2'300'000'000;  // or twice
  CHECK(sampling_quality(process).tick_samples == 70);
  process.sampling.tick_period = 0;  // of an older collector
  CHECK(sampling_quality(process) == process.sampling);
  process.sampling.tick_samples = 1'000'000;  // of a damaged file
  CHECK(sampling_quality(process).tick_samples == 200);
}
