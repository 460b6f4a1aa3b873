#include "server/cli/record/record_command.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "server/cli/record/attach_command.h"
#include "server/cli/record/crash_place.h"
#include "server/cli/record/record_children.h"
#include "server/cli/record/record_executable.h"
#include "server/cli/record/record_files.h"
#include "server/cli/record/record_notes.h"
#include "server/cli/record/record_process.h"
#include "server/cli/record/record_profiles.h"
#include "server/cli/record/record_program.h"
#include "server/cli/record/record_runtime.h"
#include "server/cli/record/record_sum.h"
#include "server/cli/record/record_summary.h"
#include "server/cli/record/recover_live.h"
#include "server/cli/record/sample_price.h"
#include "server/cli/run_command.h"
#include "server/discovery/live_files.h"
#include "server/features/crash_text.h"
#include "server/protocol/message_writer.h"
#include "server/protocol/run_summary.h"
#include "server/system/cache_directory.h"
#include "server/system/new_file.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// As in env(1) and timeout(1): its own failure, not the program's.
constexpr int own_failure_status = 125;
// What a shell adds to the signal that ended a program.
constexpr int signal_status_base = 128;
constexpr int most_looks = 20;

std::uint64_t realtime() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::string name_prefix() {
  const char* prefix = std::getenv("GMON_OUT_PREFIX");
  return prefix == nullptr ? "" : prefix;
}

// What came of one run.
struct RunResult {
  ProcessEnd end;
  std::vector<FoundProfile> profiles;  // the most important one first
  std::vector<std::string> left_out;   // remarks on what is not among them
  std::vector<std::uint32_t> running;  // profiled processes that the program has left behind
  Notes notes;
};

class Recording {
 public:
  Recording(RecordOptions options, fs::path runtime)
      : options_(std::move(options)), runtime_(std::move(runtime)) {
    summary_.program = options_.command.front();
    const auto directory = kept_executables_directory();
    if (options_.keep_executable && directory) keeper_.emplace(*directory);
  }

  int run();

 private:
  int run_one();
  Expected<RunResult> run_once(const fs::path& directory);
  int run_many();
  void recover(const fs::path& directory, const RecoveryContext& context, RunResult& result);
  void choose(std::vector<FoundProfile> profiles, std::uint64_t start, RunResult& result);
  void keep_executable(const std::vector<FoundProfile>& profiles);
  [[nodiscard]] std::string why_no_profile(const RunResult& result) const;
  void tell_of_run(const RunResult& result);
  void tell_of_sum(const std::vector<RunResult>& results, const fs::path& first_directory,
                   const fs::path& last_directory);
  void tell_of_problem(const std::string& problem);
  [[nodiscard]] int fail_to_start(int error);
  // The exit status: that of the program. Dies as the program died.
  [[nodiscard]] int finish(const ProcessEnd& end);
  [[nodiscard]] int finish(int status) { return finish({0, 0, false, status, false}); }
  [[nodiscard]] const std::string& program() const { return options_.command.front(); }

  RecordOptions options_;
  fs::path runtime_;
  SignalRelay relay_;
  NotesPage page_;
  RunSummary summary_;
  std::optional<ExecutableKeeper> keeper_;
  const std::optional<std::uint32_t> sample_price_ = measured_sample_price();
};

int Recording::run() { return options_.runs ? run_many() : run_one(); }

int Recording::run_one() {
  const auto result = run_once(options_.output);
  if (!result) {
    tell_of_problem(describe(result.error()));
    return finish(own_failure_status);
  }
  if (result->end.process == 0) return finish(fail_to_start(result->end.start_error));
  tell_of_run(*result);
  return finish(result->end);
}

Expected<RunResult> Recording::run_once(const fs::path& directory) {
  const auto absolute = prepare_directory(directory);
  if (!absolute) return absolute.error();
  const CollectorSettings settings{
      options_.rate,  options_.stacks, preloading_of(program()) != Preloading::harmful,
      options_.waits, options_.live,   sample_price_,
      *absolute,      page_.number()};
  const std::uint64_t start = realtime();
  RunResult result;
  if (keeper_) keeper_->hold(program());
  result.end = relay_.run(options_.command, recording_environment(runtime_, settings));
  result.notes = page_.take();
  if (result.end.process == 0) return result;
  const auto process = static_cast<std::uint32_t>(result.end.process);
  const RecoveryContext context{start,      process,      result.end.killed, result.end.number,
                                realtime(), name_prefix()};
  recover(directory, context, result);
  // What killed the program may have killed its whole group, a moment later.
  for (int i = 0; i < most_looks && result.end.killed && !result.running.empty(); ++i) {
    const timespec pause = {0, 10'000'000};
    nanosleep(&pause, nullptr);
    recover(directory, context, result);
  }
  ProfileSearch search{{directory}, start, process};
  if (const fs::path prefix = name_prefix(); prefix.has_parent_path()) {
    search.directories.push_back(directory / prefix.parent_path());
  }
  auto found = find_profiles(search);
  for (const Error& warning : found.warnings) tell(describe(warning));
  for (FoundProfile& profile : found.profiles) {
    // Those that were recovered are here already.
    const bool known = std::ranges::any_of(
        result.profiles, [&](const FoundProfile& other) { return other.path == profile.path; });
    profile.recovered = known;
  }
  choose(std::move(found.profiles), start, result);
  keep_executable(result.profiles);
  return result;
}

// The kernel's figure covers the first thread only.
void note_cpu_wait(const ProcessEnd& end, std::vector<FoundProfile>& profiles) {
  FoundProfile& only = profiles.front();
  const bool is_whole = profiles.size() == 1 && only.figures.threads == 1 &&
                        only.process == static_cast<std::uint32_t>(end.process);
  if (is_whole) only.figures.cpu_wait = end.cpu_wait;
}

// A program that called abort() may have gone on.
void note_crash(const ProcessEnd& end, FoundProfile& profile) {
  const bool is_started_one = profile.process == static_cast<std::uint32_t>(end.process);
  if (is_started_one && !end.killed) profile.killed_by = 0;
  if (profile.killed_by != 0) profile.crash = find_crash(profile.path);
}

// Keeps those that `--children` names, and removes the others.
void Recording::choose(std::vector<FoundProfile> profiles, std::uint64_t start, RunResult& result) {
  const auto first = static_cast<std::uint32_t>(result.end.process);
  const std::string problems = describe_problems(result.notes, profiles, first);
  ChosenProfiles chosen =
      choose_profiles(std::move(profiles), options_.children.value_or(Children::own), first);
  for (const FoundProfile& profile : chosen.left_out) remove_profile(profile);
  if (!chosen.kept.empty()) {
    note_cpu_wait(result.end, chosen.kept);
    give_usual_name(chosen.kept.front(), start);
    if (preloading_of(program()) == Preloading::useless) {
      result.left_out.push_back(lsp::why_no_profile(program(), ""));
    }
  }
  result.left_out.push_back(describe_left_out(chosen.left_out));
  result.left_out.push_back(describe_left_out_programs(result.notes.left_out));
  result.left_out.push_back(problems);
  if (!chosen.kept.empty()) {
    result.left_out.push_back(describe_unsampled(result.end.cpu_time, chosen));
    const auto texts =
        describe_unseen(unseen_time(result.end, result.notes.cpu_time, chosen), result.end.cpu_time,
                        chosen, problem_of(result.notes, first));
    result.left_out.insert(result.left_out.end(), texts.begin(), texts.end());
  }
  std::erase(result.left_out, "");
  result.profiles = std::move(chosen.kept);
  if (!result.profiles.empty()) note_crash(result.end, result.profiles.front());
}

// That of the most important profile.
void Recording::keep_executable(const std::vector<FoundProfile>& profiles) {
  if (!keeper_ || profiles.empty()) return;
  const auto kept = keeper_->keep(profiles.front());
  if (!kept) tell(describe(kept.error()));
}

void Recording::recover(const fs::path& directory, const RecoveryContext& context,
                        RunResult& result) {
  result.running.clear();
  const auto files = find_live_files(directory);
  if (!files) return tell(describe(files.error()));
  for (const fs::path& path : *files) {
    const auto recovery = recover_live_file(path, context);
    if (!recovery) {
      tell(describe(recovery.error()));
    } else if (const auto* recovered = std::get_if<Recovered>(&*recovery)) {
      FoundProfile profile;
      profile.path = recovered->profile;
      result.profiles.push_back(std::move(profile));
      for (const Error& warning : recovered->warnings) tell(describe(warning));
    } else if (const auto* running = std::get_if<StillRunning>(&*recovery)) {
      result.running.push_back(running->process);
    }
  }
}

void summarise(const std::vector<FoundProfile>& profiles, RunSummary& summary) {
  summary.profile = profiles.front().path.string();
  DescribedFigures described = describe_figures(profiles);
  summary.figures = std::move(described.figures);
  if (!described.times.empty()) summary.times = std::move(described.times);
  if (!described.headline.empty()) summary.headline = std::move(described.headline);
  summary.remarks = std::move(described.remarks);
}

std::string Recording::why_no_profile(const RunResult& result) const {
  const std::string problem =
      problem_of(result.notes, static_cast<std::uint32_t>(result.end.process));
  const std::string left_out = describe_left_out_programs(result.notes.left_out);
  if (left_out.empty()) return lsp::why_no_profile(program(), problem);
  // Such as env or nice, which left nothing to tell when it became the other program.
  const bool only_executed = problem.empty() && preloading_of(program()) == Preloading::possible;
  return fmt::format(
      "{}; {}",
      only_executed ? "it only executed another program" : lsp::why_no_profile(program(), problem),
      left_out);
}

void Recording::tell_of_run(const RunResult& result) {
  summary_.running = result.running;
  std::string running;
  for (const std::uint32_t process : result.running) {
    running += fmt::format("{}{}", running.empty() ? "; still running: process " : ", ", process);
  }
  if (!result.profiles.empty()) {
    summarise(result.profiles, summary_);
    summary_.crash = result.profiles.front().crash;
    summary_.remarks.insert(summary_.remarks.end(), result.left_out.begin(), result.left_out.end());
    return tell(describe_profiles(result.profiles, result.left_out) + running);
  }
  std::string text = fmt::format("no profile of {} yet", program());
  if (running.empty()) {
    text = fmt::format("no profile of {}: {}", program(), why_no_profile(result));
    summary_.problem = text;
  }
  if (result.end.killed) text += fmt::format("; killed by {}", signal_name(result.end.number));
  tell(text + running);
}

// Those that can be added up: of the process that was started, else of all that it started if they
// ran one program.
std::vector<FoundProfile> main_profiles(const RunResult& result) {
  if (result.profiles.empty()) return {};
  const FoundProfile& first = result.profiles.front();
  if (first.process == static_cast<std::uint32_t>(result.end.process)) return {first};
  return result.profiles;
}

bool same_program(const FoundProfile& a, const FoundProfile& b) {
  return a.program == b.program && a.build_id == b.build_id;
}

int Recording::run_many() {
  const std::uint32_t runs = options_.runs.value_or(1);
  const std::size_t digits = fmt::formatted_size("{}", runs);
  const auto directory_of = [&](std::size_t run) {
    return fs::path(options_.output) / fmt::format("run-{:0{}}", run, digits);
  };
  std::vector<RunResult> results;
  std::optional<ProcessEnd> first_failure;
  while (results.size() < runs && !relay_.asked_to_end()) {
    auto result = run_once(directory_of(results.size() + 1));
    const bool not_started = result && result->end.process == 0;
    if (!result || not_started) {
      if (!result) tell_of_problem(describe(result.error()));
      const int status = not_started ? fail_to_start(result->end.start_error) : own_failure_status;
      if (results.empty()) return finish(status);
      if (!first_failure) first_failure = ProcessEnd{0, 0, false, status, false};
      break;
    }
    results.push_back(*std::move(result));
    const ProcessEnd& end = results.back().end;
    if (!first_failure && (end.killed || end.number != 0)) first_failure = end;
    if (end.interrupted) break;
  }
  if (results.size() < runs) tell(fmt::format("{} of {} runs were made", results.size(), runs));
  if (!results.empty()) tell_of_sum(results, directory_of(1), directory_of(results.size()));
  return first_failure ? finish(*first_failure) : finish(success_status);
}

void Recording::tell_of_sum(const std::vector<RunResult>& results, const fs::path& first_directory,
                            const fs::path& last_directory) {
  std::vector<FoundProfile> parts;
  std::size_t without = 0;
  for (const RunResult& result : results) {
    const auto profiles = main_profiles(result);
    parts.insert(parts.end(), profiles.begin(), profiles.end());
    without += profiles.empty() ? 1 : 0;
  }
  if (parts.empty()) return tell_of_run(results.back());
  const std::string places = results.size() == 1 ? first_directory.string()
                                                 : fmt::format("{} to {}", first_directory.string(),
                                                               last_directory.string());
  const bool one_program = std::ranges::all_of(
      parts, [&](const FoundProfile& part) { return same_program(part, parts.front()); });
  if (!one_program) {
    return tell_of_problem(
        fmt::format("no sum: the profiles in {} are of several programs", places));
  }
  const auto sum = write_sum(options_.output, parts);
  if (!sum) {
    return tell_of_problem(
        fmt::format("no sum of the profiles in {}: {}", places, describe(sum.error())));
  }
  keep_executable({*sum});
  summarise({*sum}, summary_);
  std::string text = describe_profiles({*sum});
  text += fmt::format("; the sum of {} run{}, in {}", results.size() - without,
                      results.size() - without == 1 ? "" : "s", places);
  if (without != 0) text += fmt::format(" ({} left no profile)", without);
  tell(text);
}

void Recording::tell_of_problem(const std::string& problem) {
  tell(problem);
  summary_.problem = problem;
}

int Recording::fail_to_start(int error) {
  tell_of_problem(why_not_started(program(), error));
  return status_of_start_error(program(), error);
}

int Recording::finish(const ProcessEnd& end) {
  if (end.killed) {
    summary_.signal = signal_name(end.number);
  } else {
    summary_.status = end.number;
  }
  if (!options_.summary.empty()) {
    const auto written = write_whole_file(options_.summary, written_text(summary_));
    if (!written) tell(describe(written.error()));
  }
  if (!end.killed) return end.number;
  // An editor that asked for a summary wants a status: to its terminal, death by a signal is
  // success.
  if (options_.summary.empty()) die_by_signal(end.number);
  return signal_status_base + end.number;
}

}  // namespace

int run_record(const RecordOptions& options) {
  occupy_standard_streams();
  if (options.process) return run_attach(options);
  auto runtime = find_runtime();
  if (!runtime) {
    tell(describe(runtime.error()));
    return own_failure_status;
  }
  return Recording(options, *std::move(runtime)).run();
}

}  // namespace gprof::lsp
