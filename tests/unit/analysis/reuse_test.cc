// What belongs to the program outlives its profile, as long as the files on disk stay the same.
#include <fmt/format.h>

#include "tests/support/files.h"
#include "tests/support/gmon_builder.h"
#include "tests/unit/analysis/profiled_source.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> compiler = {"gcc", "-g", "-O0", "-pg"};

// The line costs of the program's source: "line:calls" of each function.
std::string calls_by_line(const Snapshot& snapshot) {
  const auto file = snapshot.sources().files_named("program.c");
  REQUIRE(file.size() == 1);
  std::string text;
  for (const FunctionCost& function : snapshot.source_index().costs(file.front())->functions) {
    text += std::to_string(function.declaration.line) + ":" + std::to_string(function.calls) + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("a program is opened once for the profiles that it writes one after the other") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("reuse_profiles", 3, compiler);
  AnalysisRequest request = source.request();
  const auto first = analyse_or_fail(request);
  CHECK(calls_of(*first, "f7") == 3);
  const std::string before = calls_by_line(*first);

  // The same program, and the output of two runs.
  fs::rename(source.profile(), source.directory / "one");
  source.run();
  request.profiles = {source.directory / "one", source.profile()};
  request.program = first->program();
  const auto second = analyse_or_fail(request);
  CHECK(second->program() == first->program());
  CHECK(calls_of(*second, "f7") == 6);
  CHECK(calls_of(*first, "f7") == 3);
  CHECK(calls_by_line(*first) == before);
  CHECK(calls_by_line(*second) != before);
  // A decoded unit is not decoded again.
  const auto& sources = first->program()->sources();
  const auto units = sources.units_of_file(sources.files_named("program.c").front());
  REQUIRE(units.size() == 1);
  CHECK(sources.unit(units.front()).get() ==
        second->program()->sources().unit(units.front()).get());

  // The same answers as for a newly opened program.
  request.program = nullptr;
  const auto anew = analyse_or_fail(request);
  CHECK(anew->program() != first->program());
  CHECK(anew->program()->identity() == first->program()->identity());
  CHECK(calls_by_line(*anew) == calls_by_line(*second));
  CHECK(anew->source_index().by_heat() == second->source_index().by_heat());
}

TEST_CASE("a program that was written anew is opened anew") {
  if (!have_programs({"gcc"})) return;
  for (const bool renamed : {true, false}) {
    const ProfiledSource source("reuse_rebuilt", 3, compiler);
    AnalysisRequest request = source.request();
    const auto first = analyse_or_fail(request);
    const std::string before = calls_by_line(*first);

    source.write(5, true);
    source.compile(compiler, "next");
    if (renamed) {
      fs::rename(source.directory / "next", source.program());
    } else {
      // Over the old bytes: the same inode, as with cp.
      fs::copy_file(source.directory / "next", source.program(),
                    fs::copy_options::overwrite_existing);
    }
    source.run();
    request.program = first->program();
    const auto second = analyse_or_fail(request);
    CHECK(second->program() != first->program());
    CHECK_FALSE(second->program()->identity() == first->program()->identity());
    CHECK_FALSE(second->program()->identity().key() == first->program()->identity().key());
    CHECK(calls_of(*second, "f7") == 5);
    // The old snapshot still has its old figures.
    CHECK(calls_of(*first, "f7") == 3);
    CHECK(calls_by_line(*first) == before);
    if (renamed) {
      // Its file is open: what was not read yet still belongs to the old build.
      const Symbol& main = first->symbols()[*first->symbols().find_by_name("main")];
      CHECK(first->code().calls_in({main.address, main.end}).size() >= 20);
    }
  }
}

TEST_CASE("bytes that were not read yet are not taken from a program that was written over") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("reuse_written_over");
  source.write(3);
  source.compile(compiler);
  const auto image = Image::open(source.program());
  REQUIRE(image);
  source.write(3, true);
  source.compile(compiler, "next");
  fs::copy_file(source.directory / "next", source.program(), fs::copy_options::overwrite_existing);
  const Section* text = (*image)->find_section(".text");
  REQUIRE(text != nullptr);
  const auto bytes = (*image)->section_bytes(*text);
  REQUIRE_FALSE(bytes);
  CHECK(bytes.error().code == ErrorCode::unreadable);
  CHECK(bytes.error().message.find("written anew") != std::string::npos);
  std::vector<std::byte> own;
  CHECK((*image)->bytes_in(text->range(), own).empty());
}

TEST_CASE("a program is opened anew where its path or the search for debug files differs") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("reuse_other_path", 3, compiler);
  const auto first = analyse_or_fail(source.request());
  fs::create_hard_link(source.program(), source.directory / "other");

  AnalysisRequest request = source.request();
  request.program = first->program();
  request.executable = source.directory / "other";
  CHECK(analyse_or_fail(request)->program() != first->program());
  request.executable = source.program();
  CHECK(analyse_or_fail(request)->program() == first->program());
  request.debug_files.global_directories = {source.directory};
  CHECK(analyse_or_fail(request)->program() != first->program());
}

TEST_CASE("a program is opened anew where its debug file was exchanged or came") {
  if (!have_programs({"gcc", "objcopy", "strip"})) return;
  const ProfiledSource source("reuse_debug_file", 3, compiler);
  run_or_fail({"objcopy", "--only-keep-debug", "program", "program.debug"}, source.directory);
  run_or_fail({"objcopy", "--strip-debug", "--add-gnu-debuglink=program.debug", "program"},
              source.directory);
  fs::rename(source.directory / "program.debug", source.directory / "away");

  AnalysisRequest request = source.request();
  const auto without = analyse_or_fail(request);
  CHECK_FALSE(without->has_debug_information());
  request.program = without->program();
  CHECK(analyse_or_fail(request)->program() == without->program());

  fs::rename(source.directory / "away", source.directory / "program.debug");
  const auto with = analyse_or_fail(request);
  CHECK(with->program() != without->program());
  REQUIRE(with->program()->debug_image() != nullptr);
  CHECK(with->has_debug_information());
  request.program = with->program();
  CHECK(analyse_or_fail(request)->program() == with->program());

  fs::copy_file(source.directory / "program.debug", source.directory / "copy");
  fs::rename(source.directory / "copy", source.directory / "program.debug");
  CHECK(analyse_or_fail(request)->program() != with->program());
}

TEST_CASE("the key of a program names its build") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("reuse_key");
  source.write(3);
  source.compile({"gcc", "-g", "-pg", "-Wl,--build-id"});
  const auto with_build_id = Program::open(source.program());
  REQUIRE(with_build_id);
  const std::string key = (*with_build_id)->identity().key();
  CHECK((*with_build_id)->identity().build_id_hex.size() == 40);
  CHECK(key.find((*with_build_id)->identity().build_id_hex) != std::string::npos);
  fs::copy_file(source.program(), source.directory / "copy");
  const auto copy = Program::open(source.directory / "copy");
  REQUIRE(copy);
  CHECK((*copy)->identity().key() == key);
  CHECK_FALSE((*copy)->identity() == (*with_build_id)->identity());

  source.compile({"gcc", "-g", "-pg", "-Wl,--build-id=none"});
  const auto without = Program::open(source.program());
  REQUIRE(without);
  CHECK((*without)->identity().build_id_hex.empty());
  const std::string file_key = (*without)->identity().key();
  CHECK(file_key.find(source.program().string()) != std::string::npos);
  fs::last_write_time(source.program(),
                      fs::last_write_time(source.program()) + std::chrono::seconds(2));
  CHECK_FALSE((*Program::open(source.program()))->identity().key() == file_key);
}

namespace {

// All figures of a profile and its graph.
std::string figures_of(const Snapshot& snapshot) {
  std::string text;
  for (const SiteArc& site : snapshot.profile().site_arcs()) {
    text += fmt::format("site {:x} {} {} {}\n", site.from_pc.value, site.caller, site.callee,
                        site.count);
  }
  for (const GraphArc& arc : snapshot.graph().arcs()) {
    text += fmt::format("arc {} {} {} {} {}\n", arc.caller, arc.callee, arc.count, arc.self_share,
                        arc.children_share);
  }
  for (SymbolIndex i = 0; i < snapshot.symbols().size(); ++i) {
    const GraphNode& node = snapshot.graph().node(i);
    text += fmt::format("node {} {} {} {} {} {}\n", i, node.calls, node.self_calls, node.self,
                        node.children, node.cycle);
  }
  for (std::size_t i = 1; i <= snapshot.graph().cycle_count(); ++i) {
    const Cycle& cycle = snapshot.graph().cycle(static_cast<CycleNumber>(i));
    text += fmt::format("cycle {} {} {} {} {}\n", i, cycle.members.size(), cycle.calls,
                        cycle.internal_calls, cycle.self);
  }
  text += fmt::format("{} {}\n", snapshot.profile().counted_calls(),
                      snapshot.profile().unattributed_calls());
  return text;
}

}  // namespace

TEST_CASE("what is taken from the run before is what would be found without it") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("reuse_calls", 1, {"gcc", "-g", "-O0", "-pg", "-no-pie", "-fno-pie"});
  const auto first = analyse_or_fail(source.request());
  const auto address = [&](int i) {
    return first->symbols()[*first->symbols().find_by_name("f" + std::to_string(i))].address.value;
  };
  const AddressRange code = first->image().code_range();
  // Calls, twice from one site, recursive ones, a cycle, a call to nothing, and an arc to all.
  const auto write_profile = [&](std::uint64_t scale, bool other_call) {
    GmonDescription description;
    description.layout = {PointerWidth::eight, ByteOrder::little};
    HistogramRecord samples;
    samples.low = code.low.value;
    samples.high = code.high.value;
    samples.bins.assign((code.high - code.low) / 2, static_cast<std::uint16_t>(scale));
    description.histograms = {samples};
    for (int i = 0; i + 1 < ProfiledSource::functions; ++i) {
      description.arcs.push_back({address(i) + 16, address(i + 1) + 8, scale * (i + 1)});
    }
    description.arcs.push_back({address(9) + 16, address(5) + 8, scale * 7});
    description.arcs.push_back({address(3) + 16, address(3) + 8, scale * 2});
    description.arcs.push_back({address(2) + 16, address(3) + 8, scale});
    description.arcs.push_back({address(2) + 16, code.high.value + 0x10000, scale * 3});
    description.arcs.push_back({0x10, address(0) + 8, scale});
    if (other_call) description.arcs[4].from = address(12) + 16;
    const auto bytes = build_gmon(description);
    write_file(source.profile(), bytes);
  };
  AnalysisRequest request = source.request();
  write_profile(1, false);
  const auto one = analyse_or_fail(request);
  request.program = one->program();
  for (const bool other_call : {false, true, false}) {
    write_profile(5, other_call);
    const auto after = analyse_or_fail(request);
    CHECK(after->program() == one->program());
    AnalysisRequest alone = source.request();
    const auto anew = analyse_or_fail(alone);
    REQUIRE(anew->graph().cycle_count() == 1);
    CHECK(figures_of(*after) == figures_of(*anew));
    CHECK(figures_of(*after) != figures_of(*one));
  }
}
