// Indexes with correct checksums and forged contents: whatever they say, nothing outside them is
// read.
#include <iterator>
#include <limits>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/support/snapshot_file.h"
#include "engine/support/stored_checks.h"
#include "server/loading/snapshot_cache.h"
#include "server/loading/snapshot_file_cache.h"
#include "server/sources/line_cache.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/skipped_tests.h"
#include "tests/unit/server/counting_program.h"
#include "tests/unit/server/forged_index.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

// A separate process, as far as cached data is concerned.
SnapshotCache server_of(const fs::path& folder) {
  SnapshotFileLimits limits;
  limits.least_symbols = 0;
  return SnapshotCache(std::make_shared<SnapshotFileCache>(folder, limits));
}

bool loads_what_was_kept(const CountingProgram& program, const fs::path& folder) {
  auto server = server_of(folder);
  const auto loaded = server.load(program.request());
  REQUIRE(loaded);
  return !(*loaded)->origin();
}

// Reads everything the features use, and returns how much that was.
std::size_t look_at_everything(const Snapshot& snapshot) {
  std::size_t seen = 0;
  const CallGraph& graph = snapshot.graph();
  for (SymbolIndex i = 0; i < snapshot.symbols().size(); ++i) {
    const Symbol& symbol = snapshot.symbols()[i];
    seen += symbol.name.size() + snapshot.sources().name(i).name.size();
    seen += snapshot.symbols().aliases(i).size() + snapshot.source_index().rank(i);
    seen += snapshot.symbols().find(symbol.address).value_or(0);
    const auto time = snapshot.times().of(std::span(&i, 1));
    const auto bounds = snapshot.bounds().total(std::span(&i, 1));
    seen += static_cast<std::size_t>(time.measured) + static_cast<std::size_t>(bounds.low > 1);
    for (const auto& arcs : {graph.callers(i), graph.callees(i)}) {
      for (const ArcIndex index : arcs) {
        const GraphArc& arc = graph.arc(index);
        if (arc.caller == no_symbol) continue;
        const auto between = snapshot.bounds().arc(std::span(&arc.caller, 1), std::span(&i, 1));
        seen += static_cast<std::size_t>(between.high > 1);
        seen += snapshot.source_index().call_locations(arc.caller, arc.callee).size();
      }
    }
    if (const CycleNumber cycle = graph.node(i).cycle) seen += graph.cycle(cycle).members.size();
  }
  for (const SymbolIndex symbol : graph.callees_first()) seen += graph.node(symbol).calls;
  for (const SymbolIndex symbol : snapshot.source_index().by_heat()) seen += symbol;
  for (const FileId file : snapshot.sources().all_files()) {
    seen +=
        snapshot.sources().path(file).size() + snapshot.source_index().costs(file)->lines.size();
  }
  return seen;
}

// The program's and the snapshot's.
std::vector<fs::path> kept_files(const CountingProgram& program, const fs::path& folder) {
  program.run(10);
  // Files written just now are not trusted.
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  auto server = server_of(folder);
  const auto loaded = server.load(program.request());
  REQUIRE(loaded);
  REQUIRE(server.keep(*loaded));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  REQUIRE(files.size() == 2);
  return files;
}

// Where a list may end within a batch of checks, on one thread and on several.
const std::vector<std::size_t> checked_sizes = {0, 1, 63, 64, 65, 200, 65'535, 65'600, 1'200'000};

// All places of a short list, and those of a long one where something starts or ends.
std::vector<std::size_t> places_in(std::size_t size) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < size; ++i) {
    if (size <= 200 || i < 2 || i + 2 >= size || i % 65'536 == 65'535) places.push_back(i);
  }
  return places;
}

}  // namespace

TEST_CASE("index: whatever a forged one says leads nowhere else") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("index-forged");
  const fs::path folder = program.folder / "cache";
  for (const fs::path& entry : kept_files(program, folder)) {
    const StoredWords stored = stored_words(entry);
    write_forged(entry, stored.words, stored.identity);
    REQUIRE(loads_what_was_kept(program, folder));

    const std::size_t step = 1 + stored.words.size() / 400;
    std::size_t refused = 0;
    for (std::size_t at = 0; at < stored.words.size(); at += step) {
      for (const std::uint64_t value :
           {~std::uint64_t{0}, std::uint64_t{0x7fffffff00000003}, stored.words[at] + 0x1000}) {
        ForgedWords forged = stored.words;
        forged[at] = value;
        write_forged(entry, forged, stored.identity);
        INFO("word " << at);
        auto server = server_of(folder);
        const auto loaded = server.load(program.request());
        REQUIRE(loaded);
        look_at_everything(**loaded);
        if ((*loaded)->origin()) ++refused;
      }
    }
    CHECK(refused > 0);
    write_forged(entry, stored.words, stored.identity);
  }
}

TEST_CASE("index: a folder or a file that others can write to is no cache") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("index-others");
  const fs::path folder = program.folder / "cache";
  const std::vector<fs::path> files = kept_files(program, folder);
  REQUIRE(loads_what_was_kept(program, folder));

  SECTION("the folder") {
    REQUIRE(::chmod(folder.c_str(), 0777) == 0);
    CHECK_FALSE(loads_what_was_kept(program, folder));
    for (const fs::path& file : files) fs::remove(file);
    auto server = server_of(folder);
    const auto loaded = server.load(program.request());
    REQUIRE(loaded);
    const auto kept = server.keep(*loaded);
    REQUIRE_FALSE(kept);
    CHECK_THAT(describe(kept.error()),
               Catch::Contains(folder.string()) && Catch::Contains("chmod 700"));
    CHECK(fs::is_empty(folder));
  }
  SECTION("a file") {
    for (const fs::path& file : files) {
      REQUIRE(::chmod(file.c_str(), 0622) == 0);
      CHECK_FALSE(loads_what_was_kept(program, folder));
      REQUIRE(::chmod(file.c_str(), 0600) == 0);
    }
  }
  SECTION("neither") {
    REQUIRE(::chmod(folder.c_str(), 0700) == 0);
    for (const fs::path& file : files) REQUIRE(::chmod(file.c_str(), 0600) == 0);
    CHECK(loads_what_was_kept(program, folder));
  }
}

TEST_CASE("cache folder: that it is not ours is said once") {
  const fs::path folder = gprof::test::fresh_directory("cache-folder-of-others");
  REQUIRE(::chmod(folder.c_str(), 0770) == 0);
  CacheFolder cache(folder, ".entry", {1000, 10});
  const auto nothing = [](int /*descriptor*/) { return Expected<void>(); };
  CHECK_FALSE(cache.put("key", nothing));
  CHECK(cache.put("key", nothing));
  CHECK_FALSE(cache.find("key"));
  CHECK(fs::is_empty(folder));
}

TEST_CASE("cache folder: a folder of another user is none") {
  if (::geteuid() != 0) {
    gprof::test::skip_test("only root can give a folder to another user");
    return;
  }
  const fs::path folder = gprof::test::fresh_directory("cache-folder-of-another");
  REQUIRE(::chown(folder.c_str(), 65534, 65534) == 0);
  CacheFolder cache(folder, ".entry", {1000, 10});
  CHECK_FALSE(cache.put("key", [](int /*descriptor*/) { return Expected<void>(); }));
  CHECK(fs::is_empty(folder));
}

TEST_CASE("stored checks: one number that is too large is seen wherever it stands") {
  for (const std::size_t size : checked_sizes) {
    std::vector<std::uint32_t> numbers(size, 6);
    CHECK(all_below(numbers, 7));
    CHECK(all_below(numbers, std::size_t{1} << 32));
    CHECK(all_below(numbers, 6) == (size == 0));
    for (const std::size_t place : places_in(size)) {
      for (const std::uint32_t large : {7U, 0x80000000U, 0xFFFFFFFFU}) {
        numbers[place] = large;
        if (all_below(numbers, 7)) FAIL("place " << place << " of " << size);
      }
      numbers[place] = 6;
    }
  }
  CHECK_FALSE(all_below(std::vector<std::uint32_t>{0xFFFFFFFF}, 0xFFFFFFFF));
  CHECK(all_below(std::vector<std::uint32_t>{0xFFFFFFFF}, std::size_t{1} << 32));
}

TEST_CASE("stored checks: one value that is no number is seen wherever it stands") {
  for (const std::size_t size : checked_sizes) {
    std::vector<double> values(size, std::numeric_limits<double>::max());
    CHECK(are_finite(values));
    for (const std::size_t place : places_in(size)) {
      for (const double value :
           {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::quiet_NaN()}) {
        values[place] = value;
        if (are_finite(values)) FAIL("place " << place << " of " << size);
      }
      values[place] = 0;
    }
  }
}

TEST_CASE("stored checks: one part that ends before it begins is seen wherever it stands") {
  for (const std::size_t size : checked_sizes) {
    std::vector<std::uint32_t> first(size + 1);
    for (std::size_t i = 0; i <= size; ++i) first[i] = static_cast<std::uint32_t>(2 * i);
    CHECK(are_parts(first, size, 2 * size));
    CHECK_FALSE(are_parts(first, size, 2 * size + 1));
    CHECK_FALSE(are_parts(first, size + 1, 2 * size));
    for (const std::size_t place : places_in(size)) {
      const std::uint32_t right = first[place];
      first[place] = first[place + 1] + 1;
      if (are_parts(first, size, 2 * size)) FAIL("place " << place << " of " << size);
      first[place] = right;
    }
  }
}
