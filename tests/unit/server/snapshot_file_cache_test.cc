// What one process made of a program and its profile, the next one shows.
#include "server/loading/snapshot_file_cache.h"

#include <atomic>
#include <chrono>
#include <iterator>
#include <thread>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/support/file_state.h"
#include "server/loading/snapshot_cache.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/unit/server/counting_program.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

SnapshotFileLimits limits_of(std::size_t entries) {
  SnapshotFileLimits limits;
  limits.entries = entries;
  limits.least_symbols = 0;
  return limits;
}

// Indexes of any size count as large: their states are kept.
SnapshotFileLimits limits_with_states() {
  SnapshotFileLimits limits = limits_of(64);
  limits.least_bytes_with_state = 0;
  return limits;
}

// A separate process, as far as cached data is concerned.
class Server {
 public:
  explicit Server(const fs::path& folder, std::size_t entries = 64)
      : Server(folder, limits_of(entries)) {}
  Server(const fs::path& folder, const SnapshotFileLimits& limits)
      : cache_(std::make_shared<SnapshotFileCache>(folder, limits)) {}

  std::shared_ptr<const Snapshot> load(const CountingProgram& program) {
    auto loaded = cache_.load(program.request());
    if (!loaded) FAIL(describe(loaded.error()));
    return *loaded;
  }
  void keep(const std::shared_ptr<const Snapshot>& snapshot) {
    const auto kept = cache_.keep(snapshot);
    INFO((kept ? "" : describe(kept.error())));
    CHECK(kept);
  }

 private:
  SnapshotCache cache_;
};

bool is_restored(const Snapshot& snapshot) { return !snapshot.origin(); }

// Files written just now are not trusted.
void let_a_moment_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(150)); }

// A program that was run, so long ago that its files are trusted.
struct RestedProgram : CountingProgram {
  explicit RestedProgram(const std::string& name) : CountingProgram(name, 10) {
    let_a_moment_pass();
  }
  const fs::path cache = folder / "cache";
};

// Everything the features use.
std::string figures_of(const Snapshot& snapshot) {
  std::string text;
  for (SymbolIndex i = 0; i < snapshot.symbols().size(); ++i) {
    const Symbol& symbol = snapshot.symbols()[i];
    const GraphNode& node = snapshot.graph().node(i);
    const FunctionTime time = snapshot.times().of(std::span(&i, 1));
    const TimeBounds bounds = snapshot.bounds().total(std::span(&i, 1));
    text += fmt::format("{} {:x}-{:x} {} {} calls {} self {} children {} error {} {}-{} rank {}\n",
                        symbol.name, symbol.address.value, symbol.end.value, symbol.clone_of,
                        snapshot.sources().name(i).name, node.calls, time.self, time.children,
                        time.error, bounds.low, bounds.high, snapshot.source_index().rank(i));
    for (const std::string_view alias : snapshot.symbols().aliases(i)) {
      text += fmt::format("  also {}\n", alias);
    }
    for (const ArcIndex index : snapshot.graph().callers(i)) {
      const GraphArc& arc = snapshot.graph().arc(index);
      text += fmt::format("  from {} {} {}\n", arc.caller, arc.count, arc.children_share);
      for (const CallLocation& call : snapshot.source_index().call_locations(arc.caller, i)) {
        text += fmt::format("    at {} {}\n", call.location.line, call.count);
      }
    }
  }
  for (const FileId file : snapshot.sources().files_named("prog.c")) {
    text += snapshot.sources().path(file) + "\n";
    const auto costs = snapshot.source_index().costs(file);
    for (const FunctionCost& function : costs->functions) {
      text += fmt::format("{} {} {} {}\n", function.name, function.declaration.line, function.calls,
                          static_cast<int>(function.counting));
    }
    for (const LineCost& line : costs->lines) text += fmt::format("{} {}\n", line.line, line.self);
  }
  return text +
         fmt::format("{} {}\n", snapshot.profile().total_ticks(), snapshot.profile().dimension());
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) entries.push_back(entry.path());
  return entries;
}

// Loads and keeps the current state of the program and its profile.
std::string kept_figures(const CountingProgram& program, const fs::path& folder) {
  Server server(folder);
  const auto snapshot = server.load(program);
  server.keep(snapshot);
  // The program's, and the snapshot's.
  REQUIRE(entries_of(folder).size() == 2);
  return figures_of(*snapshot);
}

}  // namespace

TEST_CASE("a second server shows what the first one kept") {
  if (!have_programs({"gcc"})) return;
  const RestedProgram program("index-second");
  const fs::path& folder = program.cache;
  const std::string figures = kept_figures(program, folder);

  Server second(folder);
  const auto restored = second.load(program);
  CHECK(is_restored(*restored));
  CHECK(figures_of(*restored) == figures);
  CHECK(restored->program()->identity().build_id_hex.size() == 40);

  // What it loads later is the same as if it had read everything itself.
  program.run(11);
  const auto later = second.load(program);
  CHECK_FALSE(is_restored(*later));
  CHECK(later->program() == restored->program());
  CHECK(later->profile().counted_calls() == 11);
}

TEST_CASE("a program that was kept is restored for a profile that was not") {
  if (!have_programs({"gcc"})) return;
  const RestedProgram program("index-another-profile");
  const fs::path& folder = program.cache;
  kept_figures(program, folder);
  program.run(12);
  let_a_moment_pass();
  AnalysisRequest request = program.request();
  const auto read = analyse(request);
  REQUIRE(read);
  const std::string figures = figures_of(**read);

  Server second(folder);
  const auto loaded = second.load(program);
  CHECK_FALSE(is_restored(*loaded));
  CHECK_FALSE(loaded->program()->origin());
  CHECK(figures_of(*loaded) == figures);
  // The program stays as it is, and the snapshot takes the place of the other.
  second.keep(loaded);
  CHECK(entries_of(folder).size() == 2);
  Server third(folder);
  const auto restored = third.load(program);
  CHECK(is_restored(*restored));
  CHECK(figures_of(*restored) == figures);
}

TEST_CASE("an index that cannot be where it wants to be says the same") {
  if (!have_programs({"gcc"})) return;
  const RestedProgram program("index-moved");
  const fs::path& folder = program.cache;
  const std::string figures = kept_figures(program, folder);

  Server second(folder);
  const auto in_place = second.load(program);
  Server third(folder);
  const auto elsewhere = third.load(program);
  CHECK(is_restored(*in_place));
  CHECK(is_restored(*elsewhere));
  CHECK(in_place->symbols()[0].name.data() != elsewhere->symbols()[0].name.data());
  CHECK(figures_of(*in_place) == figures);
  CHECK(figures_of(*elsewhere) == figures);
}

TEST_CASE("what was kept of other files is not shown") {
  if (!have_programs({"gcc"})) return;
  const RestedProgram program("index-stale");
  const fs::path& folder = program.cache;
  kept_figures(program, folder);
  const auto loads_anew = [&] { return !is_restored(*Server(folder).load(program)); };
  CHECK_FALSE(loads_anew());

  SECTION("another profile of the same size and time") {
    const auto time = fs::last_write_time(program.profile);
    program.run(11);
    fs::last_write_time(program.profile, time);
    CHECK(loads_anew());
  }
  SECTION("the program was written anew") {
    program.build(3);
    CHECK(loads_anew());
  }
  SECTION("a sidecar has come") {
    write_file(program.folder / "gmon.out.gpx", "no sidecar");
    CHECK(loads_anew());
  }
  SECTION("a debug file has come") {
    fs::create_directories(program.folder / ".debug");
    gprof::test::run_or_fail({"objcopy", "--only-keep-debug", "prog", ".debug/prog.debug"},
                             program.folder);
    gprof::test::run_or_fail({"objcopy", "--add-gnu-debuglink=.debug/prog.debug", "prog"},
                             program.folder);
    CHECK(loads_anew());
  }
}

TEST_CASE("files that were written a moment ago are not kept") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("index-moment", 10);
  const fs::path folder = program.folder / "cache";
  Server server(folder);
  server.keep(server.load(program));
  CHECK(entries_of(folder).empty());
}

TEST_CASE("a damaged index is as good as none, and is replaced") {
  if (!have_programs({"gcc"})) return;
  const RestedProgram program("index-damage");
  const fs::path& folder = program.cache;
  const std::string figures = kept_figures(program, folder);
  for (const fs::path& entry : entries_of(folder)) {
    const std::string whole = read_file(entry);
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 20) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      for (const std::string& bytes : {damaged, whole.substr(0, at)}) {
        write_file(entry, bytes);
        const auto loaded = Server(folder).load(program);
        INFO("at byte " << at);
        CHECK_FALSE(is_restored(*loaded));
        CHECK(figures_of(*loaded) == figures);
        CHECK_FALSE(fs::exists(entry));
      }
    }
    write_file(entry, whole);
    CHECK(is_restored(*Server(folder).load(program)));
  }
  for (const fs::path& entry : entries_of(folder)) write_file(entry, "damaged");
  Server server(folder);
  server.keep(server.load(program));
  CHECK(is_restored(*Server(folder).load(program)));
}

TEST_CASE("an index whose bytes were verified is so again when it was written, and only then") {
  if (!have_programs({"gcc"})) return;
  const RestedProgram program("index-state");
  const fs::path& folder = program.cache;
  Server first(folder, limits_with_states());
  const auto snapshot = first.load(program);
  const std::string figures = figures_of(*snapshot);
  first.keep(snapshot);
  // The snapshot's entry; its key names the profile.
  fs::path entry;
  for (const fs::path& path : entries_of(folder)) {
    const bool names_profile =
        read_file(path).find("|" + program.profile.string()) != std::string::npos;
    if (path.extension() == ".index" && names_profile) entry = path;
  }
  const fs::path state = fs::path(entry).replace_extension(".verified");
  REQUIRE(entries_of(folder).size() == 4);
  const std::string told = read_file(state);
  CHECK_FALSE(told.empty());
  const auto restored = [&] {
    const auto loaded = Server(folder, limits_with_states()).load(program);
    CHECK(figures_of(*loaded) == figures);
    return is_restored(*loaded);
  };
  const auto damage = [&] {
    std::string bytes = read_file(entry);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_file(entry, bytes);
  };

  SECTION("nobody wrote") {
    CHECK(restored());
    CHECK(read_file(state) == told);
  }
  SECTION("a byte is another one, and the time of writing is what it was") {
    const auto time = fs::last_write_time(entry);
    damage();
    fs::last_write_time(entry, time);
    let_a_moment_pass();
    CHECK_FALSE(restored());
    CHECK_FALSE(fs::exists(entry));
  }
  SECTION("the same was written again") {
    write_file(entry, read_file(entry));
    let_a_moment_pass();
    CHECK(restored());
    CHECK(read_file(state) != told);
    CHECK(restored());
  }
  SECTION("the state is of another start of the machine") {
    write_file(state, "0" + told);
    CHECK(restored());
    CHECK(read_file(state) == told);
  }
  SECTION("it is used again a day later") {
    const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
    fs::last_write_time(entry, yesterday);
    let_a_moment_pass();
    CHECK(restored());
    const std::string of_yesterday = read_file(state);
    CHECK(of_yesterday != told);
    fs::last_write_time(state, yesterday);
    CHECK(restored());
    CHECK(read_file(state) == of_yesterday);
    CHECK(fs::last_write_time(entry) == yesterday);
    CHECK(fs::last_write_time(state) > yesterday);
  }
  SECTION("its state tells when it was used last, and goes with it") {
    Server small(folder, limits_of(4));
    const auto keep_another = [&](int build) {
      program.build(build);
      program.run(10);
      let_a_moment_pass();
      small.keep(small.load(program));
    };
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(entry, now - std::chrono::hours(24));
    keep_another(1);
    for (const fs::path& path : entries_of(folder)) {
      if (path.extension() == ".index" && path != entry) {
        fs::last_write_time(path, now - std::chrono::hours(12));
      }
    }
    keep_another(2);
    CHECK(fs::exists(entry));
    CHECK(entries_of(folder).size() == 6);
    fs::last_write_time(state, now - std::chrono::hours(24));
    keep_another(4);
    CHECK_FALSE(fs::exists(entry));
    CHECK_FALSE(fs::exists(state));
  }
  SECTION("there is no state") {
    fs::remove(state);
    damage();
    let_a_moment_pass();
    CHECK_FALSE(restored());
  }
  SECTION("the state is of no use") {
    write_file(state, std::string(100'000, 'x'));
    CHECK(restored());
  }
}

TEST_CASE("a state is told when the file has rested") {
  const fs::path file = gprof::test::fresh_directory("file-state") / "file";
  write_file(file, "one");
  const auto state = [&] { return file_state(InputFile::open(file)->descriptor()); };
  CHECK(state().empty());
  let_a_moment_pass();
  const std::string rested = state();
  CHECK_FALSE(rested.empty());
  CHECK(state() == rested);
  write_file(file, "two");
  CHECK(state().empty());
  let_a_moment_pass();
  CHECK(state() != rested);
}

TEST_CASE("what is no longer used makes room") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("index-room");
  const fs::path folder = program.folder / "cache";
  for (int i = 0; i < 4; ++i) {
    program.build(i);
    program.run(10);
    let_a_moment_pass();
    Server server(folder, 2);
    server.keep(server.load(program));
    CHECK(entries_of(folder).size() <= 2);
  }
  CHECK(is_restored(*Server(folder).load(program)));
}

TEST_CASE("servers that keep and load the same at once do not disturb each other") {
  if (!have_programs({"gcc"})) return;
  const RestedProgram program("index-at-once");
  const fs::path& folder = program.cache;
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        SnapshotCache cache(std::make_shared<SnapshotFileCache>(folder, limits_of(64)));
        const auto loaded = cache.load(program.request());
        if (loaded && (*loaded)->profile().counted_calls() == 10 && cache.keep(*loaded)) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 20);
  CHECK(entries_of(folder).size() == 2);
}
