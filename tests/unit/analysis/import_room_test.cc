// Files of other tools that stand for more than they hold: by compression, by short messages that
// become large structures, and by lists that each metric has. What is made of them is counted in
// bytes of rows, and bounded by the file's bytes.
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <zlib.h>

#include "engine/analysis/external_functions.h"
#include "engine/import/callgrind.h"
#include "engine/import/converted_profile.h"
#include "engine/import/folded.h"
#include "engine/import/pprof.h"
#include "engine/import/pprof_file.h"
#include "engine/profile/memory_room.h"
#include "engine/selection.h"
#include "tests/unit/analysis/imported_program.h"

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

std::string gzipped(const std::string& bytes) {
  z_stream stream = {};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
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

constexpr std::size_t metrics = 64;

// 64 sample types, and a function of the program.
std::string many_metrics() {
  std::string text = message(6, "") + message(6, "leaf");
  std::string types;
  for (std::size_t i = 0; i < metrics; ++i) {
    types += message(1, number(1, i + 2) + number(2, i + 2));
    text += message(6, fmt::format("type{}", i));
  }
  return types + text + message(5, number(1, 1) + number(2, 1)) +
         message(4, number(1, 1) + message(4, number(1, 1)));
}

std::string values() {
  std::string all;
  for (std::size_t i = 0; i < metrics; ++i) all += number(2, 1);
  return all;
}

struct RoomTest {
  Imported imported;
  Warnings warnings;

  explicit RoomTest(const std::string& name) : imported(name) {}
  [[nodiscard]] ImportTarget target() const {
    return {imported.program->symbols(), imported.program->code(), imported.program->image().path(),
            [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
  }
  [[nodiscard]] bool is_said() const {
    return std::ranges::any_of(warnings, [](const Error& warning) {
      return warning.message.find("more than is accepted of a file of its size") !=
             std::string::npos;
    });
  }
};

// Of stacks, threads, modules and parts, in all metrics.
std::uint64_t bytes_of_rows(const ImportedProfile& profile) {
  std::uint64_t bytes = 0;
  const auto add = [&](const ImportedProfile& one) {
    const Sidecar& sidecar = *one.sidecar;
    for (const SidecarStack& stack : sidecar.stacks) {
      bytes += sizeof stack + stack.frames.size() * sizeof(ModuleAddress);
    }
    for (const SidecarModule& module : sidecar.modules) bytes += sizeof module + module.path.size();
    bytes += sidecar.threads.size() * sizeof(SidecarThread);
    bytes += (sidecar.sample_parts.size() + sidecar.stack_parts.size()) * sizeof(SidecarPart);
    bytes += sidecar.samples.size() * sizeof(SidecarSample);
  };
  add(profile);
  for (const ImportedProfile& other : profile.others) add(other);
  return bytes;
}

}  // namespace

TEST_CASE("amplification: messages of two bytes do not become structures without bound") {
  // Samples, mappings, locations, functions, strings, comments, and types.
  for (const unsigned field : {2U, 3U, 4U, 5U, 6U, 13U, 1U}) {
    const auto taken = [&](std::size_t messages) {
      std::string data = message(1, "");
      for (std::size_t i = 0; i < messages; ++i) data += message(field, "");
      MemoryRoom room(data.size());
      CHECK(PprofFile::parse(data, "x.pprof", room));
      return room.taken();
    };
    INFO("field " << field);
    const std::uint64_t once = taken(1000);
    CHECK(taken(2000) <= 2 * once + 64);
    // As of a file that was compressed to nothing.
    std::string data = message(1, "");
    const std::string one = message(field, field == 13 ? "\x01" : "");
    for (std::size_t i = 0; i < 5'000'000; ++i) data += one;
    MemoryRoom room(0);
    const auto file = PprofFile::parse(data, "x.pprof", room);
    CHECK(room.taken() <= max_imported_bytes(0));
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::unsupported);
    CHECK_THAT(file.error().message, Catch::Contains("more than is accepted"));
  }
}

TEST_CASE("amplification: deep stacks of every metric are bounded by the file's bytes") {
  if (!have_programs({"gcc"})) return;
  RoomTest test("import-room-stacks");
  const auto text_of = [](std::size_t samples) {
    std::string text = many_metrics();
    for (std::size_t i = 0; i < samples; ++i) {
      // All stacks differ in where other code is.
      std::string ids(4000, '\x01');
      for (std::size_t bit = 0; bit < 16; ++bit) ids[bit] = (i >> bit & 1) != 0 ? '\x01' : '\x07';
      text += message(2, message(1, ids) + values());
    }
    return text;
  };
  const std::string few = text_of(4);
  const auto small = read_converted(read_pprof, few, "x.pprof", test.target(), test.warnings);
  REQUIRE(small);
  CHECK(small->sidecar->stacks.size() == 4);
  CHECK_FALSE(test.is_said());
  const std::string many = text_of(100);
  const auto large = read_converted(read_pprof, many, "x.pprof", test.target(), test.warnings);
  REQUIRE(large);
  CHECK(bytes_of_rows(*large) <= max_imported_bytes(many.size()));
  CHECK(test.is_said());
}

TEST_CASE("amplification: modules and threads are listed by each metric, within bounds") {
  if (!have_programs({"gcc"})) return;
  RoomTest test("import-room-modules");
  const auto read = [&](std::size_t count) {
    std::string text = many_metrics();
    const std::size_t first = metrics + 2;
    for (std::size_t i = 0; i < count; ++i) {
      text += message(6, fmt::format("/l/{}.so", i));
      text += message(3, number(1, i + 1) + number(2, i << 12) + number(3, (i + 1) << 12) +
                             number(5, first + i));
      text += message(4, number(1, i + 2) + number(2, i + 1) + number(3, (i << 12) + 1));
      text += message(2, message(1, varint(i + 2) + varint(1)) + number(2, 1) +
                             message(3, number(1, 0) + number(3, i)));
    }
    const std::string packed = gzipped(text);
    auto profile = read_converted(read_pprof, packed, "x.pb.gz", test.target(), test.warnings);
    REQUIRE(profile);
    CHECK(bytes_of_rows(*profile) <= max_imported_bytes(packed.size()));
    return profile->sidecar->modules.size();
  };
  CHECK(read(100) == 101);
  CHECK_FALSE(test.is_said());
  CHECK(read(40'000) < 40'000);
  CHECK(test.is_said());
}

TEST_CASE("amplification: events that formulas make of one are bounded by the file's bytes") {
  if (!have_programs({"gcc"})) return;
  RoomTest test("import-room-formulas");
  const auto read = [&](std::size_t threads) {
    std::string text = "# callgrind format\n";
    for (int i = 0; i < 31; ++i) text += fmt::format("event: E{} = Ir\n", i);
    for (std::size_t i = 0; i < threads; ++i) {
      text += fmt::format("thread: {}\npositions: instr line\nevents: Ir\nfn=leaf\n0x{:x} 1 1\n",
                          i + 1, test.imported.address("leaf"));
      for (int k = 0; k < 10; ++k) text += "+1 1 1\n";
    }
    return read_callgrind(text, "callgrind.out", test.target(), test.warnings);
  };
  const auto few = read(50);
  REQUIRE(few);
  CHECK(few->others.size() == 31);
  CHECK(few->threads.size() == 50);
  const auto many = read(4000);
  REQUIRE_FALSE(many);
  CHECK(many.error().code == ErrorCode::unsupported);
  CHECK_THAT(many.error().message, Catch::Contains("more costs than is accepted"));
}

TEST_CASE("amplification: what is left of a selection names no more than it says") {
  Dimensions dimensions;
  Selection selection;
  for (std::uint32_t i = 1; i <= 100'000; ++i) {
    dimensions.processes.push_back({i, "p", 0, 0});
    dimensions.threads.push_back({i, i, "t", 0});
    selection.processes.push_back(i);
    selection.threads.push_back(i);
  }
  CHECK(check_selection(selection, dimensions));
  CHECK(selection_text(selection, dimensions).size() < 2000);
  selection.processes.push_back(0);
  const auto refused = check_selection(selection, dimensions);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.size() < 2000);
}

TEST_CASE("amplification: a library is read once, however many paths and metrics lead to it") {
  if (!have_programs({"gcc"})) return;
  const Imported imported("import-room-library");
  // Of a library that is there and has no build-id; the sampled place is in no function.
  Sidecar sidecar;
  sidecar.process.end_time = ~std::uint64_t{0} >> 1;
  sidecar.modules.emplace_back().path = "/own";
  std::string path = imported.built.program.string();
  for (std::uint32_t i = 1; i <= 3; ++i) {
    SidecarModule& module = sidecar.modules.emplace_back();
    module.path = path;
    module.build_id = imported.program->identity().build_id_hex;
    sidecar.samples.push_back({{i, {imported.address(i == 1 ? "leaf" : "main")}}, 1, 0});
    path = "/." + path;
  }
  Sidecar other = sidecar;
  other.samples = {{{3, {imported.address("leaf")}}, 1, 0}};
  const std::vector<bool> own = {true, false, false, false};
  const std::vector<const Sidecar*> both = {&sidecar, &other};
  const ExternalFunctions functions(both, own, {});
  CHECK(functions.name_at(1, {imported.address("leaf")}) == "leaf");
  CHECK(functions.name_at(2, {imported.address("main")}) == "main");
  CHECK(functions.name_at(3, {imported.address("leaf")}) == "leaf");
  // One list of names serves all paths.
  CHECK(functions.name_at(1, {imported.address("main")}).data() ==
        functions.name_at(2, {imported.address("main")}).data());
}
