// Profiles of added-up stacks: pprof's messages, and folded stacks.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <zlib.h>

#include "engine/analysis/samples.h"
#include "engine/import/converted_profile.h"
#include "engine/import/folded.h"
#include "engine/import/folded_lines.h"
#include "engine/import/gperftools.h"
#include "engine/import/pprof.h"
#include "tests/support/test_seed.h"
#include "tests/unit/analysis/imported_program.h"
#include "tests/unit/fixtures/profile_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
std::string message(unsigned field, const std::string& bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(0));
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return value;
  }
}

// Of a message, each with its tag.
std::vector<std::string> fields_of(std::string_view bytes) {
  std::vector<std::string> fields;
  while (!bytes.empty()) {
    std::string_view rest = bytes;
    const bool is_piece = (take_varint(rest) & 7) == 2;
    const std::uint64_t value = take_varint(rest);
    if (is_piece) rest.remove_prefix(value);
    fields.emplace_back(bytes.substr(0, bytes.size() - rest.size()));
    bytes = rest;
  }
  return fields;
}

// Writes messages with the strings they need.
struct PprofBuilder {
  std::vector<std::string> strings = {""};
  std::string body;

  std::uint64_t string(const std::string& text) {
    strings.push_back(text);
    return strings.size() - 1;
  }
  void type(const std::string& type, const std::string& unit) {
    const std::uint64_t type_number = string(type);
    body += message(1, number(1, type_number) + number(2, string(unit)));
  }
  void mapping(std::uint64_t start, std::uint64_t offset, const std::string& file) {
    body += message(3, number(1, 1) + number(2, start) + number(3, start + 0x10000) +
                           number(4, offset) + number(5, string(file)));
  }
  void function(std::uint64_t id, const std::string& name) {
    body += message(5, number(1, id) + number(2, string(name)));
  }
  void location(std::uint64_t id, std::uint64_t mapping, std::uint64_t address,
                const std::vector<std::uint64_t>& functions) {
    std::string lines;
    for (const std::uint64_t function : functions) lines += message(4, number(1, function));
    body += message(4, number(1, id) + number(2, mapping) + number(3, address) + lines);
  }
  void sample(const std::vector<std::uint64_t>& locations, const std::vector<std::uint64_t>& values,
              const std::string& thread = "") {
    std::string ids;
    for (const std::uint64_t id : locations) ids += varint(id);
    std::string sample = message(1, ids);
    // Not packed, which is allowed as well.
    for (const std::uint64_t value : values) sample += number(2, value);
    if (!thread.empty()) {
      sample += message(3, number(1, string("thread_name")) + number(2, string(thread)));
    }
    body += message(2, sample);
  }
  [[nodiscard]] std::string bytes() const {
    std::string all = body;
    for (const std::string& text : strings) all += message(6, text);
    return all;
  }
};

std::string gzipped(const std::string& bytes) {
  z_stream stream = {};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(bytes.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct StackReader {
  Imported imported;
  Warnings warnings;

  explicit StackReader(const std::string& name) : imported(name) {}

  [[nodiscard]] ImportTarget target() const {
    return {imported.program->symbols(), imported.program->code(), imported.program->image().path(),
            [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
  }
  ImportedProfile pprof(const std::string& bytes) {
    REQUIRE(is_pprof(bytes));
    auto read = read_converted(read_pprof, bytes, "cpu.pb.gz", target(), warnings);
    if (!read) FAIL(describe(read.error()));
    return *std::move(read);
  }
  ImportedProfile folded(const std::string& text) {
    REQUIRE(is_folded(text));
    auto read = read_converted(read_folded, text, "prog.folded", target(), warnings);
    if (!read) FAIL(describe(read.error()));
    return *std::move(read);
  }
  // What the reader makes of it, in the notation of profile_text().
  std::string text_of(ProfileReader read, std::string_view bytes) {
    MemoryRoom room(bytes.size());
    const auto profile = read(bytes, "file", target(), room, warnings);
    if (!profile) FAIL(describe(profile.error()));
    return profile_text(*profile);
  }
  // main calls leaf; each has half of the time. Loaded at `start`.
  [[nodiscard]] PprofBuilder go(std::uint64_t start) const {
    PprofBuilder built;
    built.type("samples", "count");
    built.type("cpu", "nanoseconds");
    built.body += message(11, number(1, 3) + number(2, 4)) + number(12, 10'000'000);
    built.mapping(start, 0, imported.built.program.string());
    built.function(1, "leaf");
    built.function(2, "main");
    built.location(1, 1, imported.address("leaf") + start, {1});
    built.location(2, 1, imported.address("main") + start + 1, {2});
    built.sample({1, 2}, {3, 30'000'000}, "worker");
    built.sample({2}, {2, 20'000'000});
    return built;
  }
};

}  // namespace

TEST_CASE("each sample type of pprof's file is a metric, and time is told in samples") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-pprof");
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{0x550000000000}}) {
    const PprofBuilder built = reader.go(start);
    for (const std::string& bytes : {built.bytes(), gzipped(built.bytes())}) {
      const std::uint64_t leaf = reader.imported.address("leaf");
      const std::uint64_t main = reader.imported.address("main") + 1;
      CHECK(reader.text_of(read_pprof, bytes) ==
            fmt::format("cpu 2: @prog+{1:#x}\n"
                        "cpu 3 of 0:0 worker: @prog+{0:#x}; call @prog+{2:#x}\n"
                        "samples 2: @prog+{1:#x}\n"
                        "samples 3 of 0:0 worker: @prog+{0:#x}; call @prog+{2:#x}\n",
                        leaf, main, main + 1));
      const ImportedProfile profile = reader.pprof(bytes);
      CHECK(profile.metric.name == "cpu");
      CHECK(profile.metric.unit == "seconds");
      CHECK(profile.raw.rate == 100);
      CHECK(Samples(profile.raw.histograms).total() == 5);
      CHECK(count_at(profile, reader.imported.address("leaf")) == 3);
      REQUIRE(profile.others.size() == 1);
      CHECK(profile.others[0].metric.name == "samples");
      REQUIRE(profile.sidecar->stacks.size() == 2);
      // The caller's is a return address.
      CHECK(profile.sidecar->stacks[0].frames ==
            std::vector<ModuleAddress>{{0, {reader.imported.address("leaf")}},
                                       {0, {reader.imported.address("main") + 2}}});
      REQUIRE(profile.sidecar->threads.size() == 1);
      CHECK(profile.sidecar->threads[0].name == "worker");
      CHECK(profile.sidecar->threads[0].samples == 3);
    }
  }
  CHECK(reader.warnings.empty());
}

TEST_CASE("the fields of pprof's message come in any order, with others that are not known") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-pprof-order");
  PprofBuilder built = reader.go(0);
  built.body += number(9, 1'500'000'000'000'000'000) + message(11, number(1, 3) + number(2, 4)) +
                number(12, 10'000'000);
  const std::string in_order = reader.text_of(read_pprof, built.bytes());
  std::vector<std::string> fields = fields_of(built.bytes());
  fields.push_back(message(100, "later"));
  fields.push_back(number(101, 7));
  std::mt19937 random(test_seed(1));
  for (int i = 0; i < 50; ++i) {
    // Those of one number stay in order: they are lists.
    std::map<char, std::uint32_t> places;
    for (const std::string& field : fields) places.try_emplace(field.front(), random());
    std::ranges::stable_sort(fields, {},
                             [&](const std::string& field) { return places[field.front()]; });
    std::string bytes;
    for (const std::string& field : fields) bytes += field;
    CHECK(is_pprof(bytes));
    CHECK(reader.text_of(read_pprof, bytes) == in_order);
    CHECK(reader.text_of(read_pprof, gzipped(bytes)) == in_order);
  }
}

TEST_CASE("code without addresses is found by the names of functions, inlined ones included") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-pprof-names");
  PprofBuilder built;
  built.type("alloc_space", "bytes");
  built.function(1, "main");
  built.function(2, "always inlined");
  built.function(3, "java.lang.String.hash");
  built.location(7, 0, 0, {2, 1});
  built.location(9, 0, 0, {3});
  built.sample({7}, {4096});
  built.sample({9, 7}, {100});
  CHECK(reader.text_of(read_pprof, built.bytes()) ==
        "alloc_space 4096: inlined always inlined; main\n"
        "alloc_space 100: java.lang.String.hash; inlined always inlined; call main\n");
  const ImportedProfile profile = reader.pprof(built.bytes());
  CHECK(profile.metric.name == "alloc_space");
  CHECK(profile.metric.unit == "bytes");
  CHECK(count_at(profile, reader.imported.address("main")) == 4096);
  REQUIRE(profile.external_names);
  REQUIRE(profile.external_names->size() == 1);
  CHECK(profile.external_names->begin()->second == "java.lang.String.hash");
  CHECK(profile.sidecar->process.samples == 4196);
  // Of another program.
  PprofBuilder other;
  other.type("cpu", "nanoseconds");
  other.location(1, 0, 0, {});
  other.sample({1}, {5});
  const auto read =
      read_converted(read_pprof, other.bytes(), "x.pprof", reader.target(), reader.warnings);
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::mismatch);
}

TEST_CASE("of functions inlined into one location, as many are kept as a frame can show") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-pprof-inlined");
  PprofBuilder built;
  built.type("cpu", "nanoseconds");
  built.function(1, "main");
  built.function(2, "inner");
  std::vector<std::uint64_t> functions(1000, 2);
  functions.push_back(1);
  built.location(7, 0, 0, functions);
  built.sample({7, 7}, {30'000'000});
  MemoryRoom room(0);
  const std::string bytes = built.bytes();
  const auto profile = read_pprof(bytes, "file", reader.target(), room, reader.warnings);
  REQUIRE(profile);
  std::vector<Row> places;
  profile->places_of(profile->costs(0).stacks.at(0), places);
  CHECK(places.size() == 2 * 17);
  CHECK(profile->text(profile->places()[places.back()].function) == "main");
}

TEST_CASE("damage in pprof's file is told with its place, wherever it ends") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-pprof-cut");
  const std::string bytes = reader.go(0x1000).bytes();
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    const auto read = read_converted(read_pprof, bytes.substr(0, size), "x.pprof", reader.target(),
                                     reader.warnings);
    if (read) continue;
    CHECK_FALSE(read.error().message.empty());
    if (read.error().code == ErrorCode::corrupt) CHECK(read.error().offset.value_or(size) <= size);
  }
  // A length that lies.
  const auto lying = read_converted(read_pprof, bytes + "\x12\xff\xff\xff\x7f", "x.pprof",
                                    reader.target(), reader.warnings);
  REQUIRE_FALSE(lying);
  CHECK(lying.error().code == ErrorCode::corrupt);
  CHECK(lying.error().offset == bytes.size());
  const std::string packed = gzipped(bytes);
  CHECK_FALSE(read_converted(read_pprof, packed.substr(0, packed.size() / 2), "x.pb.gz",
                             reader.target(), reader.warnings));
  CHECK_FALSE(is_pprof("gmon"));
  CHECK_FALSE(is_pprof(std::string(64, '\0')));
}

TEST_CASE("amplification: pprof's file unpacks to no more than is allowed") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-pprof-bomb");
  const std::string bomb = gzipped(reader.go(0).bytes() + std::string(96 << 20, '\x32'));
  CHECK(bomb.size() < 1 << 20);
  const auto read = read_converted(read_pprof, bomb, "x.pb.gz", reader.target(), reader.warnings);
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find("more than") != std::string::npos);
}

TEST_CASE("gperftools' CPU profiles, of both word sizes and byte orders") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-gperftools-cpu");
  const Image& image = reader.imported.program->image();
  const std::uint64_t base = 0x55550000;
  const std::uint64_t leaf = reader.imported.in_process("leaf", base) + 1;
  const std::uint64_t main = reader.imported.in_process("main", base) + 9;
  const std::string maps = fmt::format(
      "build=/somewhere\n{:08x}-{:08x} r--p 00000000 08:01 12 {}\n{:08x}-{:08x} r-xp 00000000 "
      "08:01 12 {}\n"
      "77770000-77780000 r-xp 00002000 08:01 13 /usr/lib/lib c.so.6\n",
      base, base + 1, image.path(), base, base + 0x100000, image.path());
  for (const std::size_t size : {8, 4}) {
    for (const bool big : {false, true}) {
      CAPTURE(size, big);
      std::string bytes;
      const auto put = [&](std::initializer_list<std::uint64_t> words) {
        for (const std::uint64_t word : words) {
          for (std::size_t i = 0; i < size; ++i) {
            bytes += static_cast<char>(word >> 8 * (big ? size - 1 - i : i));
          }
        }
      };
      put({0, 3, 0, 10'000, 0});
      put({5, 2, leaf, main});
      // The innermost frame twice.
      put({2, 3, leaf, leaf, main});
      put({1, 1, 0x77770010});
      put({1, 2, 0x11111111, main});
      const std::size_t end = bytes.size();
      put({0, 1, 0});
      bytes += maps;
      REQUIRE(is_gperftools(bytes));
      CHECK_FALSE(is_pprof(bytes));
      CHECK(reader.text_of(read_gperftools, bytes) ==
            fmt::format("cpu 1: @lib c.so.6+0x2010\n"
                        "cpu 7: @prog+{0:#x}; call @prog+{1:#x}\n"
                        "cpu 1: ; call @prog+{1:#x}\n",
                        reader.imported.address("leaf") + 1, reader.imported.address("main") + 9));
      MemoryRoom room(bytes.size());
      for (std::size_t cut = 40; cut < end; cut += 3) {
        CHECK_FALSE(
            read_gperftools(bytes.substr(0, cut), "cpu", reader.target(), room, reader.warnings));
      }
    }
  }
}

TEST_CASE("gperftools' texts of heaps and of contended locks") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-gperftools-texts");
  const std::uint64_t base = 0x55550000;
  const std::uint64_t leaf = reader.imported.in_process("leaf", base) + 5;
  const std::uint64_t main = reader.imported.in_process("main", base) + 9;
  const std::string maps =
      fmt::format("\nMAPPED_LIBRARIES:\n{:x}-{:x} r-xp 00000000 08:01 12 {}\n", base,
                  base + 0x100000, reader.imported.built.program.string());
  const auto values_of = [&](const std::string& text) {
    REQUIRE(is_gperftools(text));
    auto read = read_converted(read_gperftools, text, "heap", reader.target(), reader.warnings);
    if (!read) FAIL(describe(read.error()));
    std::map<std::string, Ticks> values;
    values[read->metric.name] = Samples(read->raw.histograms).total();
    for (const ImportedProfile& other : read->others) {
      values[other.metric.name] = Samples(other.raw.histograms).total();
    }
    return std::pair(values, read->raw.exact_costs);
  };
  const auto [exact, is_exact] =
      values_of(fmt::format("heap profile:      3:     4096 [    10:     8192] @ heapprofile\n"
                            "     2:     4000 [     8:     8000] @ {0:#x} {1:#x}\n"
                            "     1:       96 [     2:      192] @ {1:#x}\n{2}",
                            leaf, main, maps));
  CHECK(exact == std::map<std::string, Ticks>{{"inuse_space", 4096},
                                              {"inuse_objects", 3},
                                              {"alloc_space", 8192},
                                              {"alloc_objects", 10}});
  CHECK(is_exact);
  // One of about 1 / (1 - 1 / e) objects of that size is sampled.
  const auto [sampled, is_counted] = values_of(fmt::format(
      "heap profile: 1: 1000 [ 1: 1000] @ heap_v2/1000\n 1: 1000 [ 1: 1000] @ {:#x}\n{}", leaf,
      maps));
  CHECK(sampled.at("inuse_space") == 1582);
  CHECK_FALSE(is_counted);
  const auto [delays, all_counted] = values_of(
      fmt::format("--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n"
                  "ms since reset: 16\ndiscarded samples = 0\n"
                  "  4000 2 @ {:#x} {:#x}\n{}",
                  leaf, main, maps));
  CHECK(delays == std::map<std::string, Ticks>{{"delay", 200'000}, {"contentions", 200}});
  CHECK_FALSE(all_counted);
  MemoryRoom room(1000);
  const auto damaged = read_gperftools("heap profile: 1: 2 [ 3: 4] @ heapprofile\nwhat is this\n",
                                       "heap", reader.target(), room, reader.warnings);
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().code == ErrorCode::corrupt);
  const auto empty = read_gperftools("heap profile: 0: 0 [ 0: 0] @ heapprofile\n", "heap",
                                     reader.target(), room, reader.warnings);
  REQUIRE_FALSE(empty);
  CHECK(empty.error().code == ErrorCode::no_profile_data);
}

TEST_CASE("folded stacks are found by names, with marks, modules and threads") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-folded");
  const std::string text =
      "# a comment\nprog;main;leaf 10\nprog-12/13;main;leaf_[i] 5\n[solver tid=14];main 2\n"
      "main;libc.so.6`memcpy 3\nmain;write [libc.so.6] 1\nmain;sys_read_[k] 1\n"
      "main;leaf 1\n[truncated];leaf 4\n;; 2\n\n";
  CHECK(reader.text_of(read_folded, text) ==
        "samples 2 of 0:14 solver: main\n"
        "samples 2: \n"
        "samples 1: sys_read@[kernel]; call main\n"
        "samples 3: memcpy@libc.so.6; call main\n"
        "samples 1: write@libc.so.6; call main\n"
        "samples 11: leaf; call main\n"
        "samples 5 of 12:13 prog: inlined leaf; call main\n"
        "samples 4: leaf; ...\n");
  const ImportedProfile profile = reader.folded(text);
  CHECK(profile.metric.unit == "samples");
  CHECK(count_at(profile, reader.imported.address("leaf")) == 15);
  CHECK(count_at(profile, reader.imported.address("main")) == 7);
  CHECK(profile.sidecar->process.samples == 29);
  REQUIRE(profile.sidecar->threads.size() == 2);
  CHECK(profile.sidecar->threads[0].name == "solver");
  CHECK(profile.sidecar->threads[1].process == 12);
  CHECK(profile.sidecar->threads[1].thread == 13);
  REQUIRE(profile.external_names);
  CHECK(profile.external_names->size() == 3);
  // The stack of a call goes by way of the only instruction that makes it.
  const SidecarStack& most = profile.sidecar->stacks.front();
  CHECK(most.count == 11);
  CHECK(most.frames.at(1).address.value > reader.imported.address("main") + 1);
  CHECK_FALSE(read_converted(read_folded, "other;x 1\n", "x", reader.target(), reader.warnings));
  CHECK_FALSE(is_folded("int main() {\n"));
}

TEST_CASE("folded stacks: lines that are none are left out, and a difference is refused") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-folded-lines");
  const std::string odd = "main;leaf 3\nTotal: 3 samples\n";
  CHECK(is_folded(odd));
  CHECK(reader.folded(odd).sidecar->process.samples == 3);
  REQUIRE(reader.warnings.size() == 1);
  CHECK(reader.warnings[0].offset == 12);
  const auto error = [&](const std::string& text) {
    const auto read = read_converted(read_folded, text, "x", reader.target(), reader.warnings);
    REQUIRE_FALSE(read);
    return read.error();
  };
  CHECK(error("main 1\nmain;leaf\nleaf\n").offset == 7);
  CHECK(error("main;leaf 12 15\nmain 3 1\n").code == ErrorCode::unsupported);
  // Names may end in numbers.
  CHECK(reader.folded("main;leaf 12\nmain;thread 7 1\n").sidecar->process.samples == 13);
}

TEST_CASE("folded stacks: offsets in functions are places") {
  if (!have_programs({"gcc"})) return;
  StackReader reader("import-folded-offsets");
  const std::uint64_t main = reader.imported.address("main");
  const std::uint64_t leaf = reader.imported.address("leaf");
  for (const std::string text : {"main+0x5;leaf+0x2 12\n", "prog`main+0x5;prog`leaf+0x2 12\n"}) {
    CHECK(reader.folded(text).sidecar->stacks.at(0).frames ==
          std::vector<ModuleAddress>{{0, {leaf + 2}}, {0, {main + 5}}});
  }
  // Beyond the function, the name counts.
  CHECK(reader.folded("main;leaf+0xfffff 12\n").sidecar->stacks.at(0).frames.at(0) ==
        ModuleAddress{0, {leaf}});
}

TEST_CASE("names of folded frames") {
  const auto frame = [](std::string_view text) {
    const FoldedFrame parsed = parse_folded_frame(text);
    return fmt::format("{}|{}|{}|{}", parsed.module, parsed.name, parsed.line, parsed.is_inlined);
  };
  CHECK(frame("f") == "|f|0|false");
  CHECK(frame("f_[i]") == "|f|0|true");
  CHECK(frame("f_[k]") == "[kernel]|f|0|false");
  CHECK(frame("a.out!f:12") == "a.out|f|12|false");
  CHECK(frame("[libc.so.6]") == "libc.so.6||0|false");
  CHECK(frame("std::vector<int>::at(unsigned long)") ==
        "|std::vector<int>::at(unsigned long)|0|false");
  CHECK(frame("operator!") == "|operator!|0|false");
  CHECK(parse_folded_line("a;b 1.5")->value == 1.5);
  CHECK_FALSE(parse_folded_line("a;b"));
  CHECK_FALSE(parse_folded_line("12"));
  CHECK_FALSE(parse_folded_line("a -3"));
  CHECK_FALSE(parse_folded_line("a nan"));
}
