// Recordings with threads, stacks and waits are restored with all that can be asked of them.
#include <chrono>
#include <thread>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/gmon/sidecar.h"
#include "engine/snapshot_view.h"
#include "server/loading/snapshot_cache.h"
#include "tests/support/files.h"
#include "tests/support/made_up_profile.h"
#include "tests/unit/server/forged_index.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

using View = std::shared_ptr<const Snapshot>;

MadeUpProfile recording(const std::string& name) {
  MadeUpProfile made(name, {"main", "parse", "solve", "step"});
  made.thread(11, "parser").thread(12, "solver");
  for (std::uint32_t slice = 0; slice < 10; ++slice) {
    made.stack_of(0, slice, 10, {"main", "parse", "step"});
    made.stack_of(1, slice + 5, 20, {"main", "solve", "/lib/libx.so:fill"});
    made.stack_of(1, slice + 5, 7, {"main", "solve"}).in_kernel(5);
  }
  made.stack_of(0, 3, 2, {"step"});
  made.calls_of(0, "main", "parse", 3).calls_of(1, "main", "solve", 4);
  made.wait_of(0, 2, WaitKind::lock, "pthread_mutex_lock", 40, {"main", "parse"});
  made.held_by(30, {"main", "solve"});
  made.wait_of(1, 9, WaitKind::io, "read", 70, {"main", "solve", "/lib/libx.so:fill"});
  return made;
}

// What the features ask of a snapshot.
std::string figures_of(const Snapshot& view) {
  std::string text;
  const FunctionCosts& profile = view.profile();
  for (SymbolIndex i = 0; i < view.symbols().size(); ++i) {
    const AddressRange range = {view.symbols()[i].address, view.symbols()[i].end};
    const FunctionTime time = view.times().of(std::span(&i, 1));
    text += fmt::format("{}: self {} total {} ± {} measured {} calls {} rank {} kernel {} ± {}\n",
                        view.symbols()[i].name, time.self, time.total(), time.error, time.measured,
                        view.graph().node(i).calls, view.source_index().rank(i),
                        profile.kernel().in(range), profile.kernel().error_of(10));
    if (const auto waits =
            view.waits() ? view.waits()->below(std::span(&range, 1)) : std::nullopt) {
      text += fmt::format("  waits {} {} of {}", waits->busy.all().time, waits->busy.all().times,
                          waits->busy.all().longest);
      for (const LockHolder& holder : waits->holders) {
        text +=
            fmt::format(" held {} at {:x}", holder.time, holder.place.value_or(Address{}).value);
      }
      text += "\n";
    }
  }
  for (const ModuleSamples& module : profile.elsewhere()) {
    text += fmt::format("{} {} {}\n", module.name, module.function, module.ticks);
  }
  for (std::size_t i = 0; i < view.stacks().size(); ++i) {
    const SampledStack stack = view.stacks()[i];
    text += fmt::format("{} {}:", stack.count, stack.incomplete);
    for (const StackFrame& frame : stack.frames) {
      if (frame.module == StackFrame::left_out) continue;
      const ExternalCode& code = view.stacks().external_code(frame.module);
      text += fmt::format(" {:x} {} {}", frame.place.value, code.module, code.function);
    }
    text += "\n";
  }
  for (const Metric& metric : view.metrics()) text += metric.name + " " + metric.label + "\n";
  for (const gprof::RecordedThread& thread : view.dimensions().threads) {
    text += fmt::format("thread {} {} {}\n", thread.thread, thread.name, thread.cpu);
  }
  const auto run_time = view.run_info().run_time();
  return text + fmt::format("{} ± {} of {} s\n", profile.program_ticks(), profile.error_of(100),
                            run_time ? run_time->wall : 0);
}

// By each metric, of all, a thread and a stretch of time, with time lines.
std::string all_figures_of(const View& snapshot) {
  Selection thread;
  thread.threads = {12};
  Selection stretch;
  stretch.from = 0.2;
  stretch.to = 0.8;
  std::string text;
  for (const Metric& metric : snapshot->metrics()) {
    if (!is_of_cost(metric)) continue;
    for (const Selection& selection : {Selection(), thread, stretch}) {
      const auto view = view_of(snapshot, metric.name, selection);
      if (!view) FAIL(describe(view.error()));
      text += figures_of(**view);
      TimelineQuery query;
      query.columns = 5;
      const auto timeline = timeline_of(**view, query);
      if (!timeline) FAIL(describe(timeline.error()));
      for (const TimelineRow& row : timeline->rows) {
        text += fmt::format("{} {}\n", row.name, fmt::join(row.values, " "));
      }
    }
  }
  return text;
}

struct KeptRecording {
  explicit KeptRecording(const std::string& name) : made(recording(name)) {
    const View written = made.snapshot();
    request.executable = written->image().path();
    for (const std::string& path : written->profile_paths()) request.profiles.emplace_back(path);
    folder = request.executable.parent_path() / "cache";
    fs::remove_all(folder);
    // Files written just now are not trusted.
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    const auto server = another_server();
    const View read = load(*server);
    figures = all_figures_of(read);
    const auto kept = server->keep(read);
    INFO((kept ? "" : describe(kept.error())));
    REQUIRE(kept);
  }

  // A separate process, as far as cached data is concerned.
  [[nodiscard]] std::unique_ptr<SnapshotCache> another_server() const {
    SnapshotFileLimits limits;
    limits.least_symbols = 0;
    return std::make_unique<SnapshotCache>(std::make_shared<SnapshotFileCache>(folder, limits));
  }
  [[nodiscard]] View load(SnapshotCache& server) const {
    auto loaded = server.load(request);
    if (!loaded) FAIL(describe(loaded.error()));
    return *loaded;
  }
  [[nodiscard]] View load() const {
    const auto server = another_server();
    return load(*server);
  }

  MadeUpProfile made;
  AnalysisRequest request;
  fs::path folder;
  std::string figures;
};

bool is_restored(const Snapshot& snapshot) { return !snapshot.origin(); }

}  // namespace

TEST_CASE("stored recording: a second server shows all of it, and its parts") {
  const KeptRecording kept("stored_recording");
  const View restored = kept.load();
  CHECK(is_restored(*restored));
  // What parts are made of is read when one is asked for.
  CHECK(restored->recording() == nullptr);
  CHECK(all_figures_of(restored) == kept.figures);
  CHECK(restored->recording() == nullptr);
}

TEST_CASE("stored recording: parts are not made of a profile that was written since") {
  const KeptRecording kept("stored_recording_rewritten");
  const View restored = kept.load();
  REQUIRE(is_restored(*restored));
  const fs::path profile = kept.request.profiles.front();
  write_file(profile, read_file(profile));
  Selection thread;
  thread.threads = {12};
  const auto view = view_of(restored, "", thread);
  REQUIRE_FALSE(view);
  CHECK(view.error().code == ErrorCode::stale);
  CHECK_THAT(describe(view.error()), Catch::Contains(profile.string()));
}

TEST_CASE("stored recording: what was kept of other files is not shown") {
  const KeptRecording kept("stored_recording_stale");
  REQUIRE(is_restored(*kept.load()));
  const auto touch = [](const fs::path& path) { write_file(path, read_file(path)); };

  SECTION("the sidecar was written again") {
    touch(kept.request.profiles.front().string() + ".gpx");
    const View read = kept.load();
    CHECK_FALSE(is_restored(*read));
    CHECK(all_figures_of(read) == kept.figures);
  }
  SECTION("a library, whose functions are named, was written again") {
    fs::path library;
    for (const auto& entry : fs::recursive_directory_iterator(kept.folder.parent_path())) {
      if (entry.path().filename() == "libx.so") library = entry.path();
    }
    REQUIRE_FALSE(library.empty());
    touch(library);
    CHECK_FALSE(is_restored(*kept.load()));
  }
  SECTION("there is another profile, of the program that was kept") {
    const std::string sidecar = kept.request.profiles.front().string() + ".gpx";
    fs::remove(sidecar);
    const View read = kept.load();
    CHECK_FALSE(is_restored(*read));
    CHECK_FALSE(read->program()->origin());
    CHECK(read->stacks().size() == 0);
  }
  SECTION("the executable was written again") {
    touch(kept.request.executable);
    const View read = kept.load();
    CHECK_FALSE(is_restored(*read));
    CHECK(read->program()->origin());
  }
}

TEST_CASE("stored recording: whatever a forged one says leads nowhere else") {
  const KeptRecording kept("stored_recording_forged");
  for (const auto& entry : fs::directory_iterator(kept.folder)) {
    const StoredWords stored = stored_words(entry.path());
    const std::size_t step = 1 + stored.words.size() / 400;
    std::size_t refused = 0;
    for (std::size_t at = 0; at < stored.words.size(); at += step) {
      for (const std::uint64_t value :
           {~std::uint64_t{0}, std::uint64_t{0x7fffffff00000003}, stored.words[at] + 0x1000}) {
        ForgedWords forged = stored.words;
        forged[at] = value;
        write_forged(entry.path(), forged, stored.identity);
        INFO("word " << at);
        const View loaded = kept.load();
        CHECK_FALSE(figures_of(*loaded).empty());
        if (!is_restored(*loaded)) ++refused;
      }
    }
    CHECK(refused > 0);
    write_forged(entry.path(), stored.words, stored.identity);
  }
}
