#include "server/loading/program_loader.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/loading/choice_list.h"
#include "tests/support/files.h"
#include "tests/unit/server/counting_program.h"
#include "tests/unit/server/recording_events.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

namespace fs = std::filesystem;

// A loader without threads: everything is done when a call returns.
struct Loading {
  RecordingEvents events;
  std::shared_ptr<SnapshotCache> snapshots = std::make_shared<SnapshotCache>();
  ProgramLoader loader{false, snapshots, std::make_shared<LineCache>(std::nullopt),
                       ChoiceMemory(std::nullopt)};
  const CountingProgram& program;

  explicit Loading(const CountingProgram& shown) : program(shown) {}

  void start(std::vector<ProgramSettings> programs = {}) {
    loader.start({std::move(programs), {program.folder}, {}, [] {}}, events);
  }
  void notice(const fs::path& path) { loader.files_changed({{path}, false}); }
  [[nodiscard]] std::uint64_t calls() const {
    const auto programs = loader.state().programs;
    return programs->empty() ? 0 : programs->front().snapshot->profile().counted_calls();
  }
  [[nodiscard]] ProfileState last_state() const { return events.statuses.back().state; }
};

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a load is told by one refresh, and what has not changed by none") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-refresh", 10);
  Loading loading(program);
  loading.start();
  CHECK(loading.calls() == 10);
  CHECK(loading.events.refreshes == 1);
  CHECK(loading.events.statuses.size() == 2);
  const std::uint64_t generation = loading.loader.state().generation;

  loading.notice(program.profile);
  CHECK(loading.events.refreshes == 1);
  CHECK(loading.events.progress_ends.size() == 1);
  CHECK(loading.loader.state().generation == generation);

  program.run(20);
  loading.notice(program.profile);
  CHECK(loading.calls() == 20);
  CHECK(loading.events.refreshes == 2);
  CHECK(loading.loader.state().generation != generation);
  CHECK(loading.last_state() == ProfileState::ready);
  CHECK(loading.events.messages.empty());
}

TEST_CASE("a rebuilt program keeps what it showed until it runs") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-rebuilt", 10);
  Loading loading(program);
  loading.start();
  const auto before = loading.loader.state();
  program.build(40);
  loading.notice(program.program);
  const auto kept = loading.loader.state();
  REQUIRE(kept.programs->size() == 1);
  CHECK(kept.programs->front().snapshot == before.programs->front().snapshot);
  CHECK(kept.programs->front().rebuilt_since);
  CHECK(kept.generation == before.generation);
  CHECK(loading.events.refreshes == 1);
  REQUIRE(loading.events.messages.size() == 1);
  CHECK(loading.events.messages[0].find("was rebuilt since its profile") != std::string::npos);
  CHECK(loading.last_state() == ProfileState::stale);

  // Again: nothing new.
  program.build(41);
  loading.notice(program.program);
  CHECK(loading.events.messages.size() == 1);
  CHECK(loading.events.refreshes == 1);

  program.run(20);
  loading.notice(program.profile);
  CHECK(loading.calls() == 20);
  CHECK_FALSE(loading.loader.state().programs->front().rebuilt_since);
  CHECK(loading.events.refreshes == 2);
  CHECK(loading.last_state() == ProfileState::ready);
  CHECK(loading.events.messages.size() == 1);
}

TEST_CASE("a profile that is being written is told once, and loaded when it is whole") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-half", 10);
  const std::string whole = read_file(program.profile);
  for (const bool named : {false, true}) {
    CAPTURE(named);
    write_file(program.profile, whole);
    Loading loading(program);
    std::vector<ProgramSettings> programs;
    if (named) programs.push_back({"prog", {"gmon.out"}, {}, {}});
    loading.start(programs);
    const auto shown = loading.loader.state();
    for (const std::size_t part : {3U, 5U, 7U}) {
      write_file(program.profile, whole.substr(0, whole.size() * part / 10));
      loading.notice(program.profile);
      CHECK(loading.loader.state().programs->front().snapshot == shown.programs->front().snapshot);
    }
    CHECK(loading.events.messages.size() == 1);
    CHECK(loading.events.refreshes == 1);
    // An explicit request is reported again.
    loading.loader.reload();
    CHECK(loading.events.messages.size() == 2);
    const int refreshes = loading.events.refreshes;
    write_file(program.profile, whole);
    loading.notice(program.profile);
    CHECK(loading.calls() == 10);
    CHECK(loading.events.refreshes == refreshes + 1);
    CHECK(loading.events.messages.size() == 2);
  }
}

TEST_CASE("what vanishes stays, and only the log knows") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-gone", 10);
  Loading loading(program);
  loading.start();
  fs::remove(program.profile);
  loading.notice(program.profile);
  fs::remove(program.program);
  loading.notice(program.program);
  CHECK(loading.calls() == 10);
  CHECK(loading.events.refreshes == 1);
  CHECK(loading.events.messages.empty());
  CHECK_FALSE(loading.events.logged.empty());
  CHECK(loading.last_state() == ProfileState::ready);
}

TEST_CASE("a load that the user cancels leaves everything as it was") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-cancel", 10);
  Loading loading(program);
  loading.events.cancels = true;
  loading.start();
  CHECK(loading.calls() == 0);
  CHECK(loading.events.progress_ends == std::vector<std::string>{"Loading was cancelled"});
  CHECK(loading.events.messages.empty());
  // Not until something changes.
  loading.events.cancels = false;
  loading.notice(program.folder / "gmon.out.7");
  CHECK(loading.calls() == 0);
  program.run(20);
  loading.notice(program.profile);
  CHECK(loading.calls() == 20);

  loading.events.cancels = true;
  program.run(30);
  loading.notice(program.profile);
  CHECK(loading.calls() == 20);
  CHECK(loading.last_state() == ProfileState::ready);
  loading.events.cancels = false;
  loading.loader.reload();
  CHECK(loading.calls() == 30);
}

TEST_CASE("choices are shown, cleared and offered") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-choices", 11);
  const fs::path older = program.folder / "gmon.out.1";
  fs::rename(program.profile, older);
  fs::last_write_time(older, fs::file_time_type::clock::now() - std::chrono::seconds(90));
  program.run(12);
  fs::last_write_time(program.profile, fs::file_time_type::clock::now() - std::chrono::seconds(30));
  Loading loading(program);
  loading.start();
  CHECK(loading.calls() == 12);
  const auto offered = offered_choices(*loading.loader.state().programs, time_now());
  REQUIRE(offered.size() == 4);
  CHECK(offered[0].title == "prog — as without a choice");
  CHECK(offered[2].title == "prog — sum of 2 profiles");
  CHECK(offered[3].title == "prog — gmon.out.1, 1 minute ago");
  ProgramChoices choices;
  choices.selection = offered[3].selection;
  loading.loader.use_choices(choices);
  CHECK(loading.calls() == 11);
  choices.selection = offered[2].selection;
  loading.loader.use_choices(choices);
  CHECK(loading.calls() == 23);
  choices.selection = ProgramSelection{program.folder / "gone", {}};
  loading.loader.use_choices(choices);
  CHECK(loading.calls() == 12);
  choices = {};
  choices.cleared = true;
  loading.loader.use_choices(choices);
  CHECK(loading.loader.state().programs->empty());
  CHECK(offered_choices(*loading.loader.state().programs, time_now()).empty());
}

TEST_CASE("a choice made before the start is not replaced by an older one") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-recall", 11);
  fs::rename(program.profile, program.folder / "gmon.out.1");
  program.run(12);
  fs::last_write_time(program.profile, fs::file_time_type::clock::now() - std::chrono::seconds(30));
  const fs::path directory = program.folder / "state";
  const ChoiceMemory memory(directory);
  memory.remember({program.folder},
                  {{program.program, {program.folder / "gmon.out.1"}, time_now()}, {}});
  for (const bool cleared : {false, true}) {
    RecordingEvents events;
    ProgramLoader loader(false, std::make_shared<SnapshotCache>(),
                         std::make_shared<LineCache>(std::nullopt), memory);
    ProgramChoices choices;
    choices.cleared = true;
    if (cleared) loader.use_choices(choices);
    loader.start({{}, {program.folder}, {}, [] {}}, events);
    const auto programs = loader.state().programs;
    REQUIRE(programs->size() == (cleared ? 0 : 1));
    if (!cleared) CHECK(programs->front().snapshot->profile().counted_calls() == 11);
  }
}

TEST_CASE("a choice lasts until a profile is newer than those known then, by their own clock") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-dated-choice", 11);
  const fs::path older = program.folder / "gmon.out.1";
  fs::rename(program.profile, older);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(older, long_ago);
  const auto run_at = [&](int calls, std::chrono::seconds after) {
    program.run(calls);
    fs::last_write_time(program.profile, long_ago + after);
  };
  run_at(12, std::chrono::seconds(1));
  ProgramChoices choices;
  choices.selection = ProgramSelection{program.program, {older}};
  for (const bool before_the_start : {false, true}) {
    Loading loading(program);
    if (before_the_start) loading.loader.use_choices(choices);
    loading.start();
    if (!before_the_start) loading.loader.use_choices(choices);
    CHECK(loading.calls() == 11);
    loading.loader.reload();
    CHECK(loading.calls() == 11);
    run_at(13, std::chrono::seconds(before_the_start ? 3 : 2));
    loading.notice(program.profile);
    CHECK(loading.calls() == 13);
  }
}

TEST_CASE("a thousand reloads leave nothing behind") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("loader-thousand", 10);
  const std::string bytes = read_file(program.profile);
  Loading loading(program);
  loading.start();
  const std::size_t descriptors = open_descriptors();
  std::vector<std::weak_ptr<const Snapshot>> snapshots;
  for (int i = 0; i < 1000; ++i) {
    // Written elsewhere and renamed: a different file each time, whatever the clock's resolution.
    write_file(program.folder / "new", bytes);
    fs::rename(program.folder / "new", program.profile);
    loading.notice(program.profile);
    snapshots.push_back(loading.loader.state().programs->front().snapshot);
  }
  CHECK(loading.events.refreshes == 1001);
  CHECK(loading.events.messages.empty());
  CHECK(open_descriptors() == descriptors);
  const auto alive = std::count_if(snapshots.begin(), snapshots.end(),
                                   [](const auto& snapshot) { return !snapshot.expired(); });
  CHECK(alive == 1);
}
