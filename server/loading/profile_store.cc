#include "server/loading/profile_store.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "server/discovery/file_age.h"
#include "server/discovery/program_names.h"
#include "server/loading/base_comparison.h"
#include "server/sources/build_texts.h"

namespace gprof::lsp {
namespace {

void add_new(Warnings& list, const Error& error) {
  if (std::find(list.begin(), list.end(), error) == list.end()) list.push_back(error);
}

bool is_stale(const Error& warning) { return warning.code == ErrorCode::stale; }

bool says_stale(const Snapshot& snapshot) {
  const Warnings warnings = snapshot.warnings();
  return std::any_of(warnings.begin(), warnings.end(), is_stale);
}

// Of files_of(): everything after the executable.
bool same_profiles(const StampedFiles& a, const StampedFiles& b) {
  return a.paths == b.paths && a.stamps.size() == b.stamps.size() && !a.stamps.empty() &&
         std::equal(a.stamps.begin() + 1, a.stamps.end(), b.stamps.begin() + 1);
}

// Whether the executable could not be read because a linker is still writing it.
bool is_being_written(const Error& failure, const PlannedProgram& planned) {
  constexpr FileTime moment = 2'000'000'000;
  if (failure.path != planned.executable.string()) return false;
  const auto stamp = file_stamp(planned.executable);
  return stamp && std::abs(time_now() - stamp->modified) < moment;
}

std::optional<Error> missing_file(const PlannedProgram& planned) {
  const auto missing = [](const std::filesystem::path& path) {
    return Error{ErrorCode::not_found, "the file does not exist", path.string(), {}};
  };
  if (!file_stamp(planned.executable)) return missing(planned.executable);
  for (const auto& profile : planned.profiles) {
    if (!file_stamp(profile)) return missing(profile);
  }
  return std::nullopt;
}

std::optional<Error> trouble_of(const PlannedProgram& planned) {
  for (const PlannedLive& live : planned.live) {
    if (live.trouble) return live.trouble;
  }
  return std::nullopt;
}

bool is_running(const PlannedProgram& planned) {
  return std::any_of(planned.live.begin(), planned.live.end(),
                     [](const PlannedLive& live) { return live.running; });
}

// Symbols and call sites of a program whose figures by themselves are shown before its totals are
// made: with fewer, those take a few dozen milliseconds.
constexpr std::size_t shown_in_two_steps = 400'000;

bool is_shown_at_once(const Snapshot& snapshot) {
  return snapshot.symbols().size() + snapshot.profile().site_arcs().size() < shown_in_two_steps;
}

bool shows_the_same(const LoadedProgram& a, const LoadedProgram& b) {
  return a.snapshot == b.snapshot && a.paths == b.paths && a.name == b.name &&
         a.part_of == b.part_of && a.live == b.live && a.comparison == b.comparison;
}

// Whether the executable is certainly, or may be, not the one that has written the profiles.
bool may_be_another_build(const Expected<std::shared_ptr<const Snapshot>>& loaded,
                          const PlannedProgram& planned) {
  if (loaded) return says_stale(**loaded);
  const Error& error = loaded.error();
  const bool is_gone =
      error.code == ErrorCode::not_found && error.path == planned.executable.string();
  return is_gone || error.code == ErrorCode::mismatch;
}

Error about_the_base(Error error, const PlannedProgram& base) {
  if (error.code == ErrorCode::mismatch) {
    error.message =
        fmt::format("this recording was made by an earlier build of {} that is no longer available",
                    base.executable.filename().string());
    return error;
  }
  error.message = "this base cannot be compared with: " + error.message;
  return error;
}

}  // namespace

ProfileStore::State ProfileStore::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

const ProfileStore::Shown* ProfileStore::last_good(const PlannedProgram& planned) const {
  for (const Shown& shown : shown_) {
    if (shown.planned.executable == planned.executable &&
        shown.planned.part_of == planned.part_of) {
      return &shown;
    }
  }
  return nullptr;
}

std::shared_ptr<BuildTexts> ProfileStore::texts_of(const Program& program) const {
  const std::string key = program.identity().key();
  for (const Shown& shown : shown_) {
    const Program& known = *shown.program.snapshot->program();
    if (shown.program.texts && known.identity().key() == key) return shown.program.texts;
  }
  if (base_ && base_->program.snapshot->program()->identity().key() == key) {
    return base_->program.texts;
  }
  return std::make_shared<BuildTexts>(key, lines_);
}

ProfileStore::Shown ProfileStore::show(const PlannedProgram& planned, const Request& request,
                                       std::shared_ptr<const Snapshot> snapshot,
                                       StampedFiles files) const {
  Shown shown{{}, planned, std::move(files), request.workspace_folders};
  LoadedProgram& program = shown.program;
  const Shown* last = last_good(planned);
  const bool same_paths = last != nullptr && !request.look_for_sources &&
                          last->program.snapshot == snapshot &&
                          last->planned.path_map == planned.path_map &&
                          last->workspace_folders == request.workspace_folders;
  program.paths = same_paths ? last->program.paths
                             : std::make_shared<const SourcePaths>(
                                   snapshot->sources(), planned.path_map, request.workspace_folders,
                                   request.bounds, planned.executable);
  program.texts = texts_of(*snapshot->program());
  program.snapshot = std::move(snapshot);
  program.part_of = planned.part_of;
  program.candidates = planned.candidates;
  program.reason = planned.reason;
  program.live = is_running(planned);
  return shown;
}

// Decides between what was loaded and what was shown before.
void ProfileStore::take(const PlannedProgram& planned, const Request& request, StampedFiles files,
                        const Loaded& loaded, std::vector<Shown>& shown, LoadReport& report) {
  const Shown* last = last_good(planned);
  bool rebuilt = false;
  if (loaded) {
    const bool was_seen =
        says_stale(**loaded) && builds_.known != nullptr && builds_.known->has_written(**loaded);
    const bool stale = says_stale(**loaded) && !was_seen;
    const bool same_runs = last != nullptr && same_profiles(last->files, files);
    const bool same_build =
        last != nullptr && last->program.snapshot->program()->identity().key() ==
                               (*loaded)->program()->identity().key();
    // Only its times show the rebuild: a state known to be right is better than one that may be
    // wrong.
    rebuilt = stale && same_runs && !same_build;
    if (!rebuilt) {
      const bool as_before = was_seen || (same_runs && same_build && !last->program.rebuilt_since);
      for (const Error& warning : (*loaded)->warnings()) {
        if (!as_before || !is_stale(warning)) add_new(report.warnings, warning);
      }
      ++report.loaded;
      shown.push_back(show(planned, request, *loaded, std::move(files)));
      shown.back().program.rebuilt_since = stale && !as_before;
      return;
    }
  } else {
    const Error& error = loaded.error();
    rebuilt = last != nullptr && error.code == ErrorCode::mismatch &&
              !last->program.snapshot->program()->is_current(
                  planned.executable, last->program.snapshot->program()->debug_files());
    if (last != nullptr && error.code == ErrorCode::not_found) {
      report.remarks.push_back(
          fmt::format("{} is no longer there; what it showed stays.", error.path));
    } else if (last != nullptr && is_being_written(error, planned)) {
      report.unsettled = true;
    } else if (!rebuilt) {
      add_new(report.failures, error);
    }
  }
  if (last == nullptr) return;
  Shown kept = *last;
  kept.program.candidates = planned.candidates;
  kept.program.reason = planned.reason;
  kept.program.live = false;
  if (!rebuilt) {
    for (const Error& warning : kept.program.snapshot->warnings()) {
      if (!is_stale(warning)) add_new(report.warnings, warning);
    }
  } else {
    kept.program.rebuilt_since = true;
    report.rebuilt.push_back(planned.executable);
  }
  shown.push_back(std::move(kept));
}

// With the executable on disk, else with the one that was kept when the base was recorded.
ProfileStore::Loaded ProfileStore::load_build_of_base(const Request& request) const {
  const PlannedProgram& planned = *request.plan.base;
  AnalysisRequest analysis = analysis_of(planned);
  analysis.debug_files = request.debug_files;
  analysis.cancelled = &request.cancelled;
  analysis.progress = [&](std::string_view step, double) { request.progress(step, 1); };
  Loaded loaded = snapshots_->load(analysis);
  // What was kept lies outside of all bounds.
  if (!builds_.executables || request.bounds || planned.profiles.empty()) return loaded;
  if (!may_be_another_build(loaded, planned)) return loaded;
  const auto kept = builds_.executables->find(planned.profiles.front());
  if (!kept) return loaded;
  analysis.executable = *kept;
  return snapshots_->load(analysis);
}

bool ProfileStore::load_base(const Request& request, LoadReport& report) {
  if (!request.plan.base) {
    base_.reset();
    return true;
  }
  const PlannedProgram& planned = *request.plan.base;
  StampedFiles files = files_of(analysis_of(planned));
  const Loaded loaded = load_build_of_base(request);
  if (request.cancelled || (!loaded && loaded.error().code == ErrorCode::cancelled)) return false;
  if (!loaded) {
    if (base_ && is_being_written(loaded.error(), planned)) {
      report.unsettled = true;
    } else {
      add_new(report.failures, about_the_base(loaded.error(), planned));
    }
    return true;
  }
  for (const Error& warning : (*loaded)->warnings()) add_new(report.warnings, warning);
  const bool same = base_ && base_->program.snapshot == *loaded && !request.look_for_sources &&
                    base_->workspace_folders == request.workspace_folders;
  if (!same) base_ = show(planned, request, *loaded, std::move(files));
  return true;
}

// A comparison is kept while neither side changes.
bool ProfileStore::compare(std::vector<Shown>& shown, const Request& request,
                           LoadReport& report) const {
  for (Shown& one : shown) {
    one.program.base = nullptr;
    one.program.comparison = nullptr;
    one.program.runs.clear();
  }
  if (!base_) return true;
  const auto is_executable = [](const Shown& one) { return one.program.part_of.empty(); };
  auto compared = std::find_if(shown.begin(), shown.end(), [&](const Shown& one) {
    return is_executable(one) &&
           one.planned.executable.filename() == base_->planned.executable.filename();
  });
  if (compared == shown.end()) compared = std::find_if(shown.begin(), shown.end(), is_executable);
  if (compared == shown.end()) return true;
  LoadedProgram& program = compared->program;
  const Shown* last = last_good(compared->planned);
  if (last != nullptr && last->program.snapshot == program.snapshot && last->program.base &&
      last->program.base->snapshot == base_->program.snapshot &&
      last->program.base->paths == base_->program.paths) {
    program.base = last->program.base;
    program.comparison = last->program.comparison;
    program.runs = last->program.runs;
    return true;
  }
  auto compared_with =
      compare_with_base(base_->program.snapshot, program.snapshot, request.cancelled);
  if (!compared_with) {
    if (compared_with.error().code == ErrorCode::cancelled) return false;
    add_new(report.failures, about_the_base(compared_with.error(), base_->planned));
    return true;
  }
  LoadedProgram base = base_->program;
  base.runs = std::move(compared_with->runs_before);
  program.base = std::make_shared<const LoadedProgram>(std::move(base));
  program.comparison = std::move(compared_with->comparison);
  program.runs = std::move(compared_with->runs_after);
  return true;
}

void ProfileStore::publish(std::vector<Shown> shown, LoadReport& report) {
  std::vector<std::filesystem::path> paths;
  for (const Shown& one : shown) paths.push_back(one.planned.executable);
  const std::vector<std::string> names = distinct_names(paths);
  auto programs = std::make_shared<std::vector<LoadedProgram>>();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    shown[i].program.name = names[i];
    programs->push_back(shown[i].program);
  }
  shown_ = std::move(shown);
  // Another client's store may make them meanwhile: this one's client is still to be told.
  without_totals_ = without_totals_ || std::ranges::any_of(shown_, [](const Shown& one) {
                      return !one.program.snapshot->has_totals();
                    });
  const std::lock_guard lock(mutex_);
  const auto& before = *state_.programs;
  report.changed =
      !std::equal(programs->begin(), programs->end(), before.begin(), before.end(), shows_the_same);
  state_.programs = std::move(programs);
  if (report.changed) ++state_.generation;
}

LoadReport ProfileStore::load(const Request& request) {
  LoadReport report;
  report.warnings = request.plan.warnings;
  report.remarks = request.plan.remarks;
  std::vector<Shown> shown;
  const auto& programs = request.plan.programs;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const PlannedProgram& planned = programs[i];
    AnalysisRequest analysis = analysis_of(planned);
    analysis.debug_files = request.debug_files;
    analysis.cancelled = &request.cancelled;
    analysis.progress = [&](std::string_view step, double share) {
      request.progress(step,
                       (static_cast<double>(i) + share) / static_cast<double>(programs.size()));
    };
    // Before they are read: later changes are not in what is shown.
    StampedFiles files = files_of(analysis);
    // What it showed stays; there is nothing to read, and no progress to show.
    auto unusable = last_good(planned) != nullptr ? missing_file(planned) : std::nullopt;
    if (!unusable) unusable = trouble_of(planned);
    const Loaded loaded = unusable ? Loaded(*unusable) : snapshots_->load(analysis);
    if (request.cancelled || (!loaded && loaded.error().code == ErrorCode::cancelled)) {
      report.cancelled = true;
      return report;
    }
    // A comparison is of totals, and those that are shown do not go until there are new ones.
    const bool whole = request.plan.base || last_good(planned) != nullptr;
    if (loaded && (whole || is_shown_at_once(**loaded))) (*loaded)->make_totals();
    take(planned, request, std::move(files), loaded, shown, report);
  }
  if (!load_base(request, report) || !compare(shown, request, report)) {
    report.cancelled = true;
    return report;
  }
  publish(std::move(shown), report);
  return report;
}

bool ProfileStore::make_totals() {
  if (!without_totals_) return false;
  for (const Shown& shown : shown_) shown.program.snapshot->make_totals();
  without_totals_ = false;
  const std::lock_guard lock(mutex_);
  ++state_.generation;
  return true;
}

std::optional<std::string> ProfileStore::persist(const std::atomic<bool>& interrupted) {
  std::optional<std::string> trouble;
  for (const Shown& shown : shown_) {
    if (interrupted) break;
    const auto kept = snapshots_->keep(shown.program.snapshot);
    if (!kept && !trouble) trouble = describe(kept.error());
  }
  for (const Shown& shown : shown_) {
    if (interrupted) break;
    shown.program.texts->persist(shown.program, interrupted);
    const bool is_right = !shown.program.rebuilt_since && !says_stale(*shown.program.snapshot);
    if (builds_.known && is_right) builds_.known->note(*shown.program.snapshot);
  }
  if (base_ && !interrupted) base_->program.texts->persist(base_->program, interrupted);
  if (auto lines = lines_->take_trouble()) trouble = std::move(lines);
  return trouble;
}

}  // namespace gprof::lsp
