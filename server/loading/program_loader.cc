#include "server/loading/program_loader.h"

#include <algorithm>
#include <new>
#include <utility>

#include "server/discovery/workspace_folder.h"
#include "server/loading/debug_file_fetch.h"
#include "server/system/memory_reserve.h"
#include "server/system/out_of_memory.h"

namespace gprof::lsp {
namespace {

LoadReport no_memory_report() {
  LoadReport report;
  report.failures.push_back(no_memory_to_load({}));
  return report;
}

bool is_gone(const ProgramSettings& program) { return !file_stamp(program.executable); }

// Those of an earlier session that are not among the list.
void add_loaded(const std::vector<ProgramSettings>& earlier,
                const std::vector<std::filesystem::path>& folders,
                std::vector<ProgramSettings>& list) {
  for (const ProgramSettings& program : earlier) {
    const bool is_known = std::ranges::any_of(list, [&](const ProgramSettings& known) {
      return find_in_workspace(known.executable, folders) == program.executable;
    });
    if (!is_known) list.push_back(program);
  }
}

}  // namespace

// The progress of a load shown to the user: begins with the first file read, so that a check of
// unchanged files is not shown at all.
class ProgramLoader::ShownProgress {
 public:
  // `quiet`: nothing is shown.
  ShownProgress(ServiceEvents& events, const std::function<void(ProfileStatus)>& tell_status,
                ProfileStatus status, std::shared_ptr<std::atomic<bool>> cancelled, bool quiet)
      : events_(events),
        tell_status_(tell_status),
        status_(std::move(status)),
        cancelled_(std::move(cancelled)),
        quiet_(quiet) {}

  void begin() {
    if (id_ || quiet_) return;
    id_ = events_.begin_progress("Loading profile",
                                 [cancelled = cancelled_] { cancelled->store(true); });
    status_.state = ProfileState::loading;
    status_.message.clear();
    tell_status_(status_);
  }
  // Many small programs take many steps per percent: only one of them is reported.
  void report(std::string_view step, double share) {
    begin();
    const auto percent = static_cast<std::uint32_t>(share * 100);
    if (quiet_ || told_ == percent) return;
    told_ = percent;
    events_.report_progress(*id_, percent, std::string(step));
  }
  void end(std::string message) {
    if (id_) events_.end_progress(*id_, std::move(message));
  }
  [[nodiscard]] bool begun() const { return id_.has_value(); }

 private:
  ServiceEvents& events_;
  const std::function<void(ProfileStatus)>& tell_status_;
  ProfileStatus status_;
  std::shared_ptr<std::atomic<bool>> cancelled_;
  bool quiet_;
  std::optional<std::uint32_t> told_;  // percent
  std::optional<ProgressId> id_;
};

ProgramLoader::ProgramLoader(bool threads, std::shared_ptr<SnapshotCache> snapshots,
                             std::shared_ptr<LineCache> lines, ChoiceMemory choices,
                             EarlierBuilds builds, std::shared_ptr<DebugFileServers> debug_files)
    : snapshots_(std::move(snapshots)),
      store_(snapshots_, std::move(lines), std::move(builds)),
      memory_(std::move(choices)),
      debug_files_(std::move(debug_files)),
      thread_(std::make_unique<WorkerPool>(threads ? 1 : 0)) {
  if (!threads) return;
  monitor_ = std::make_unique<ChangeMonitor>([this](ChangedFiles files) {
    queue([&](Orders& orders) { orders.changed.add(std::move(files)); });
  });
}

ProgramLoader::~ProgramLoader() { stop(); }

void ProgramLoader::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    interrupt_persisting_ = true;
    if (cancelled_) cancelled_->store(true);
  }
  // The monitor's thread posts to the loading thread, which calls the monitor until it ends.
  if (monitor_) monitor_->stop();
  thread_.reset();
  monitor_.reset();
}

void ProgramLoader::start(Start start, ServiceEvents& events) {
  events_ = &events;
  client_ = std::move(start.client);
  notifier_.emplace(events, client_.gprof_status);
  bounds_ = std::move(start.bounds);
  loaded_ = std::move(start.loaded);
  tell_status_ = std::move(start.tell_status);
  if (!tell_status_) {
    tell_status_ = [this](ProfileStatus status) { events_->status(std::move(status)); };
  }
  {
    const std::lock_guard lock(mutex_);
    programs_ = std::move(start.programs);
    base_ = std::move(start.base);
    workspace_folders_ = std::move(start.workspace_folders);
    started_ = true;
  }
  queue([](Orders& orders) { orders.load = true; });
}

void ProgramLoader::use_programs(std::vector<ProgramSettings> programs) {
  queue([&](Orders& orders) {
    programs_ = std::move(programs);
    orders.load = true;
  });
}

void ProgramLoader::use_base(std::optional<BaseSettings> base) {
  queue([&](Orders& orders) {
    base_ = std::move(base);
    orders.load = true;
  });
}

void ProgramLoader::use_workspace_folders(std::vector<std::filesystem::path> folders) {
  queue([&](Orders& orders) {
    workspace_folders_ = std::move(folders);
    orders.load = true;
  });
}

void ProgramLoader::use_choices(ProgramChoices choices) {
  queue([&](Orders& orders) {
    choices_ = std::move(choices);
    chosen_ = true;
    orders.load = true;
    orders.remember = true;
  });
}

void ProgramLoader::files_changed(ChangedFiles files) {
  if (monitor_) return monitor_->notice(std::move(files));
  queue([&](Orders& orders) { orders.changed.add(std::move(files)); });
}

void ProgramLoader::reload() {
  queue([](Orders& orders) {
    orders.changed.any = true;
    orders.load = true;
    orders.asked = true;
  });
}

// A load may change what is watched, which may lead to another load: the monitor and the loading
// thread are asked in turn until neither has had anything to do. What a running load still orders
// comes before.
void ProgramLoader::settle(unsigned looks, Job<> done) {
  if (!monitor_) return done();
  thread_->when_idle([this, looks, done = std::move(done)]() mutable {
    const std::uint64_t begun = loads_begun_;
    monitor_->settle(looks > 0, [this, begun, looks, done = std::move(done)]() mutable {
      thread_->when_idle([this, begun, looks, done = std::move(done)]() mutable {
        if (loads_begun_ == begun) return done();
        settle(looks > 0 ? looks - 1 : 0, std::move(done));
      });
    });
  });
}

bool ProgramLoader::tell_late_warnings(const std::vector<LoadedProgram>& programs) {
  return notifier_->tell_late_warnings(programs);
}

void ProgramLoader::add_late_warnings(ProfileStatus& status) {
  notifier_->add_late_warnings(status);
}

void ProgramLoader::queue(const std::function<void(Orders&)>& order) {
  {
    const std::lock_guard lock(mutex_);
    order(orders_);
    if (!started_ || ending_) return;
    interrupt_persisting_ = true;
    if (std::exchange(queued_, true)) return;
  }
  thread_->post([this] { work(); });
}

std::optional<ProgramLoader::Work> ProgramLoader::take_work() {
  // What is lost here would never be loaded.
  const MemoryPatience patience;
  const std::lock_guard lock(mutex_);
  queued_ = false;
  if (ending_) return std::nullopt;
  interrupt_persisting_ = false;
  cancelled_ = std::make_shared<std::atomic<bool>>(false);
  Work work{std::exchange(orders_, {}), {}, cancelled_};
  work.request = {programs_, workspace_folders_,         choices_, std::move(work.orders.changed),
                  base_,     &snapshots_->live_counts(), bounds_};
  return work;
}

// Makes the paths of a choice absolute, and looks up the last session's: what was loaded by hand
// then still is.
void ProgramLoader::settle_choices(Work& work) {
  const auto& folders = work.request.workspace_folders;
  ProgramChoices& choices = work.request.choices;
  if (choices.selection) {
    ProgramSelection& selection = *choices.selection;
    selection.executable = find_in_workspace(selection.executable, folders);
    for (auto& profile : selection.profiles) profile = find_in_workspace(profile, folders);
  }
  if (recalled_for_ != folders) {
    recalled_for_ = folders;
    recalled_ = memory_.recall(folders);
    if (recalled_) std::erase_if(recalled_->loaded, is_gone);
  }
  if (choices.cleared) recalled_.reset();
  if (work.orders.remember) settle_newest_known(work);
  bool chosen = work.orders.remember;
  {
    const std::lock_guard lock(mutex_);
    chosen = chosen || chosen_;
  }
  if (!recalled_) return;
  ProgramChoices recalled = choices_of(*recalled_, work.request.programs, folders);
  if (!chosen) {
    choices = std::move(recalled);
  } else {
    add_loaded(recalled.loaded, folders, choices.loaded);
  }
}

// Dates a new choice by what the last plan had found.
void ProgramLoader::settle_newest_known(Work& work) {
  auto& selection = work.request.choices.selection;
  if (!selection || selection->newest_known) return;
  selection->newest_known = planner_.newest_candidate(selection->executable);
  const std::lock_guard lock(mutex_);
  // Not a choice that was made meanwhile.
  if (!orders_.remember && choices_.selection) {
    choices_.selection->newest_known = selection->newest_known;
  }
}

// Saves a choice for the next session.
void ProgramLoader::remember(const Work& work) const {
  const auto& folders = work.request.workspace_folders;
  const ProgramChoices& choices = work.request.choices;
  if (!choices.selection) return memory_.forget(folders);
  RememberedChoice choice{*choices.selection, {}};
  for (ProgramSettings loaded : choices.loaded) {
    loaded.executable = find_in_workspace(loaded.executable, folders).string();
    choice.loaded.push_back(std::move(loaded));
  }
  memory_.remember(folders, choice);
}

void ProgramLoader::work() {
  ++loads_begun_;
  auto work = take_work();
  if (!work) return;
  try {
    carry_out(*work);
  } catch (const std::bad_alloc&) {
    const MemoryPatience patience;
    conclude(*work, no_memory_report(), false);
  }
}

void ProgramLoader::carry_out(Work& work) {
  settle_choices(work);
  LoadPlan plan = planner_.plan(work.request);
  if (work.orders.remember) {
    // The first plan of all, or of this program.
    settle_newest_known(work);
    remember(work);
  }
  WatchSet files = plan.watch;
  const bool news = !plan_ || report_.unsettled || !same_outcome(plan, *plan_) ||
                    plan.warnings != plan_->warnings || plan.remarks != plan_->remarks;
  const bool look_again = plan.look_again;
  if (work.orders.load || news) load(work, std::move(plan));
  complete();
  if (look_again && monitor_) monitor_->look_soon();
  watch(files, work.request.workspace_folders);
  persist();
}

void ProgramLoader::load(const Work& work, LoadPlan plan) {
  // A check of running programs, as happens every second.
  const bool quiet =
      first_load_ended_ && !work.orders.load && plan_ && differs_in_counts_alone(plan, *plan_);
  ShownProgress shown(*events_, tell_status_, status_of(store_.state(), report_), work.cancelled,
                      quiet);
  if (!first_load_ended_ || work.orders.asked) shown.begin();
  const ProfileStore::Progress progress = [&](std::string_view step, double share) {
    shown.report(step, share);
  };
  if (debug_files_ && work.orders.asked) debug_files_->try_again();
  EditorFetchAudience audience(*events_);
  LoadReport report = loaded_plan({plan, work.request.workspace_folders, work.orders.asked,
                                   progress, *work.cancelled, bounds_,
                                   debug_files_of(debug_files_, audience, *work.cancelled)});
  shown.end(report.cancelled             ? "Loading was cancelled"
            : store_.programs()->empty() ? "No profile loaded"
                                         : "Profile loaded");
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
  }
  // Also for a cancelled load: it is repeated when something changes.
  plan_ = std::move(plan);
  persisting_due_ = persisting_due_ || (report.changed && !quiet);
  conclude(work, std::move(report), shown.begun());
}

// A chosen program that is not among those that are shown could not be loaded.
void ProgramLoader::put_unavailable(ProfileStatus& status, const ProgramChoices& choices) const {
  if (!choices.selection || report_.failures.empty()) return;
  const std::string executable = choices.selection->executable.string();
  const bool is_shown = std::ranges::any_of(*store_.programs(), [&](const LoadedProgram& program) {
    return program.snapshot->image().path() == executable;
  });
  if (is_shown) return;
  status.unavailable = executable;
  for (const Error& failure : report_.failures) {
    if (failure.path != executable) continue;
    status.message = describe(failure);
    break;
  }
}

// What is shown stays, except for what was replaced already.
LoadReport ProgramLoader::loaded_plan(const ProfileStore::Request& request) {
  try {
    return store_.load(request);
  } catch (const std::bad_alloc&) {
    return no_memory_report();
  }
}

void ProgramLoader::conclude(const Work& work, LoadReport report, bool was_shown) {
  const bool changed = report.changed;
  if (report.cancelled) {
    events_->log(LogLevel::info, "Loading was cancelled; what was shown before still is.");
  } else {
    notifier_->tell(report, work.orders.asked);
    report_ = std::move(report);
    if (report_.unsettled && monitor_) monitor_->look_again();
  }
  ProfileStatus status = status_of(store_.state(), report_);
  put_unavailable(status, work.request.choices);
  if (was_shown || status_ != status) tell_status_(status);
  status_ = std::move(status);
  const bool first = !std::exchange(first_load_ended_, true);
  if (first) loaded_();
  if (first || changed) events_->refresh();
}

// The second step of showing a large program.
void ProgramLoader::complete() {
  {
    const std::lock_guard lock(mutex_);
    if (ending_) return;
  }
  if (store_.make_totals()) events_->refresh();
}

void ProgramLoader::watch(const WatchSet& files,
                          const std::vector<std::filesystem::path>& folders) {
  if (!client_.register_watched_files) {
    if (monitor_) monitor_->watch(files);
    return;
  }
  const bool relative = client_.relative_patterns;
  std::vector<WatchedPattern> patterns = files.patterns(folders, relative);
  if (patterns_ != patterns) {
    events_->watch_files(patterns);
    patterns_ = std::move(patterns);
    // A file may have changed, or been created, before the client watched it.
    if (monitor_) monitor_->notice({{}, true});
  }
  // Clients without base folders report nothing outside their folders.
  if (monitor_ && !relative) monitor_->watch(files.outside(folders));
}

void ProgramLoader::persist() {
  if (!persisting_due_) return;
  std::optional<std::string> trouble;
  try {
    trouble = store_.persist(interrupt_persisting_);
  } catch (const std::bad_alloc&) {
    trouble = "what is shown is not kept for later: there is not enough memory";
  }
  if (trouble) events_->log(LogLevel::info, std::move(*trouble));
  persisting_due_ = interrupt_persisting_;
}

}  // namespace gprof::lsp
