#include "server/cli/check/check_command.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/code/architecture.h"
#include "server/cli/command_debug_files.h"
#include "server/cli/run_command.h"
#include "server/discovery/file_age.h"
#include "server/discovery/program_planner.h"
#include "server/discovery/remembered_choice.h"
#include "server/discovery/run_text.h"
#include "server/features/cost_text.h"
#include "server/features/other_samples.h"
#include "server/features/shown_metric.h"
#include "server/loading/profile_store.h"
#include "server/protocol/metric_messages.h"
#include "server/session/configuration_file.h"
#include "server/sources/source_check.h"
#include "server/system/cache_directory.h"
#include "server/text/number_text.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// How many other profiles and patterns are listed; the rest are only counted.
constexpr std::size_t most_listed = 10;
constexpr std::size_t most_patterns = 20;  // the formats of profiles alone have ten
constexpr std::size_t most_metrics = 40;   // callgrind has some twenty

class CheckCommand {
 public:
  explicit CheckCommand(const fs::path& folder) : folders_{folder} {}

  int run(const CheckOptions& options);

 private:
  [[nodiscard]] bool read_settings(const std::string& path);
  [[nodiscard]] LoadPlan plan();
  void show_program(const LoadedProgram& program);
  void show_profile(const LoadedProgram& program);
  void show_samples(const Snapshot& snapshot);
  void show_metrics(const Snapshot& snapshot);
  void show_threads(const Snapshot& snapshot);
  void show_candidates(const LoadedProgram& program);
  void show_sources(const LoadedProgram& program);
  void show_watches(const WatchSet& watch);
  void show_problems(const LoadReport& report);
  int show_result(const LoadReport& report, const ProfileStore& store);

  void say(std::string_view text);
  [[nodiscard]] std::string short_path(const fs::path& path) const;

  const std::vector<fs::path> folders_;
  ClientSettings settings_;
  std::size_t setting_problems_ = 0;
  bool output_failed_ = false;
};

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", exact_count(count), count == 1 ? one : many);
}

void CheckCommand::say(std::string_view text) {
  const std::string line = on_one_line(text) + '\n';
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size()) output_failed_ = true;
}

std::string CheckCommand::short_path(const fs::path& path) const {
  const fs::path relative = path.lexically_relative(folders_.front());
  const bool below = !relative.empty() && *relative.begin() != "..";
  return below ? relative.string() : path.string();
}

bool CheckCommand::read_settings(const std::string& path) {
  const auto layer = read_configuration_file(path);
  if (!layer) {
    say(fmt::format("error: {}", describe(layer.error())));
    return false;
  }
  for (const std::string& problem : layer->problems) {
    say(fmt::format("warning: {}: {}", path, problem));
    ++setting_problems_;
  }
  settings_ = merge_settings(std::vector<SettingsLayer>{*layer});
  return true;
}

// As the server's first plan: with what was chosen last time.
LoadPlan CheckCommand::plan() {
  PlanRequest request{settings_.programs, folders_, {}, {}, active_base(settings_)};
  if (const auto recalled = ChoiceMemory(choices_directory()).recall(folders_)) {
    request.choices = choices_of(*recalled, settings_.programs, folders_);
    if (request.choices.selection) {
      say(fmt::format("chosen: {}", short_path(recalled->selection.executable)));
    }
  }
  return ProgramPlanner().plan(request);
}

void CheckCommand::show_profile(const LoadedProgram& program) {
  const FileTime now = time_now();
  for (const std::string& path : program.snapshot->profile_paths()) {
    const auto stamp = file_stamp(path);
    say(stamp ? fmt::format("  profile: {}, {}, {}", short_path(path),
                            age_text(stamp->modified, now), counted(stamp->size, "byte", "bytes"))
              : fmt::format("  profile: {}, no longer there", short_path(path)));
  }
  const FunctionCosts& profile = program.snapshot->profile();
  const auto samples = static_cast<std::uint64_t>(std::llround(profile.sampled_ticks()));
  const std::string calls = profile.has_arcs() ? counted(profile.counted_calls(), "call", "calls")
                                               : std::string("calls are not counted");
  if (samples == 0) {
    say(fmt::format("  {}, no samples", calls));
  } else {
    say(fmt::format("  {}, {} ({})", calls, counted(samples, "sample", "samples"),
                    program_time_text(profile)));
  }
  if (profile.has_arcs() && !architecture_of(program.snapshot->image())) {
    say(
        fmt::format("  note: machine code of {} is not decoded: the lines of calls are those of "
                    "their return addresses",
                    machine_name(program.snapshot->image())));
  }
  show_samples(*program.snapshot);
  show_metrics(*program.snapshot);
  show_threads(*program.snapshot);
}

// Where they are, and what they do not show.
void CheckCommand::show_samples(const Snapshot& snapshot) {
  const FunctionCosts& profile = snapshot.profile();
  const auto others = other_samples_by_module(snapshot);
  if (!others.empty()) {
    Ticks named = 0;
    for (const Ticks self : profile.self_ticks()) named += self;
    say(fmt::format("  samples: {} in functions", time_text(profile, named)));
    for (const OtherSamples& other : others) {
      say(fmt::format("  samples: {} in {}{}",
                      time_text(profile, other.seconds * profile.ticks_per_second()), other.name,
                      other.kind == OtherCode::collector ? ", the collector itself" : ""));
    }
  }
  if (const std::string ran = ran_text(snapshot); !ran.empty()) say("  " + ran);
  for (const std::string& remark :
       {waiting_text(snapshot), tick_text(profile), stacks_text(snapshot.stacks())}) {
    if (!remark.empty()) say("  note: " + remark);
  }
}

void CheckCommand::show_metrics(const Snapshot& snapshot) {
  std::vector<Metric> metrics = snapshot.metrics();
  const DerivedMetrics derived = derived_metrics_of(snapshot, settings_.derived);
  for (const DerivedMetric& metric : derived.metrics) metrics.push_back(metric.metric);
  for (const Metric& metric : std::span(metrics).first(std::min(metrics.size(), most_metrics))) {
    const bool is_derived = metric.kind == MetricKind::derived;
    say(fmt::format("  metric: {}, {}{}{}", metric.name, metric.unit, is_derived ? " = " : ": ",
                    metric.origin));
  }
  if (metrics.size() > most_metrics) {
    say(fmt::format("  metric: {} more", exact_count(metrics.size() - most_metrics)));
  }
  for (const Error& problem : derived.problems) say("  note: " + describe(problem));
}

// What can be selected; most of it first.
void CheckCommand::show_threads(const Snapshot& snapshot) {
  const FunctionCosts& profile = snapshot.profile();
  const Dimensions& dimensions = snapshot.dimensions();
  std::vector<RecordedThread> threads = dimensions.threads;
  std::ranges::stable_sort(threads, std::greater<>(), &RecordedThread::cpu);
  const bool many = dimensions.processes.size() > 1;
  for (const RecordedThread& thread :
       std::span(threads).first(std::min(threads.size(), most_listed))) {
    say(fmt::format("  thread: {} ({}){}, {}", thread.name.empty() ? "without a name" : thread.name,
                    thread.thread, many ? fmt::format(" of process {}", thread.process) : "",
                    time_text(profile, thread.cpu * profile.ticks_per_second())));
  }
  if (threads.size() > most_listed) {
    say(fmt::format("  thread: {} more", exact_count(threads.size() - most_listed)));
  }
  if (many) say(fmt::format("  processes: {}", exact_count(dimensions.processes.size())));
  if (!(dimensions.length > 0)) return;
  say(fmt::format("  length of the run: {:.2f} s{}", dimensions.length,
                  dimensions.slice_width > 0
                      ? fmt::format(", in slices of {:.3g} s", dimensions.slice_width)
                      : "; it is not known when samples were taken"));
}

void CheckCommand::show_candidates(const LoadedProgram& program) {
  const auto& shown = program.snapshot->profile_paths();
  std::vector<fs::path> others;
  for (const fs::path& candidate : program.candidates) {
    if (std::find(shown.begin(), shown.end(), candidate.string()) == shown.end()) {
      others.push_back(candidate);
    }
  }
  for (std::size_t i = 0; i < std::min(others.size(), most_listed); ++i) {
    const auto stamp = file_stamp(others[i]);
    say(fmt::format("  could be chosen: {}{}", short_path(others[i]),
                    stamp ? ", " + age_text(stamp->modified, time_now()) : ""));
  }
  if (others.size() > most_listed) {
    say(fmt::format("  could be chosen: {} more", exact_count(others.size() - most_listed)));
  }
}

void CheckCommand::show_sources(const LoadedProgram& program) {
  if (!program.snapshot->has_debug_information()) {
    say("  sources: not known; compile with -g");
    return;
  }
  const SourceCheck check = check_sources(program, folders_);
  say(
      fmt::format("  sources in the workspace: {} in step with the program, {} changed, {} changed "
                  "beyond recognition, {} missing; {} elsewhere",
                  check.in_step, check.changed, check.unknown, check.missing, check.elsewhere));
}

void CheckCommand::show_program(const LoadedProgram& program) {
  const fs::path path = program.snapshot->image().path();
  if (program.part_of.empty()) {
    say(fmt::format("program: {}", short_path(path)));
  } else {
    say(fmt::format("library: {}, in {}", short_path(path), short_path(program.part_of)));
  }
  if (program.rebuilt_since) say("  rebuilt since the profile was written");
  show_profile(program);
  show_candidates(program);
  show_sources(program);
}

void CheckCommand::show_watches(const WatchSet& watch) {
  const auto patterns = watch.patterns(folders_, false);
  for (std::size_t i = 0; i < std::min(patterns.size(), most_patterns); ++i) {
    say(fmt::format("watched: {}", short_path(patterns[i].pattern)));
  }
  if (patterns.size() > most_patterns) {
    say(fmt::format("watched: {} more", exact_count(patterns.size() - most_patterns)));
  }
}

void CheckCommand::show_problems(const LoadReport& report) {
  for (const std::string& remark : report.remarks) say(fmt::format("note: {}", remark));
  for (const Error& warning : report.warnings) say(fmt::format("warning: {}", describe(warning)));
  for (const Error& failure : report.failures) say(fmt::format("error: {}", describe(failure)));
}

int CheckCommand::show_result(const LoadReport& report, const ProfileStore& store) {
  const auto programs = store.programs();
  const auto libraries = static_cast<std::size_t>(
      std::count_if(programs->begin(), programs->end(),
                    [](const LoadedProgram& program) { return !program.part_of.empty(); }));
  say(fmt::format("{} and {} would be shown: {}, {}",
                  counted(programs->size() - libraries, "program", "programs"),
                  counted(libraries, "library", "libraries"),
                  counted(report.failures.size(), "error", "errors"),
                  counted(report.warnings.size() + setting_problems_, "warning", "warnings")));
  if (std::fflush(stdout) != 0) output_failed_ = true;
  const bool good = !programs->empty() && report.failures.empty() && !output_failed_;
  return good ? success_status : failure_status;
}

int CheckCommand::run(const CheckOptions& options) {
  say(fmt::format("workspace: {}", folders_.front().string()));
  if (!options.configuration_file.empty() && !read_settings(options.configuration_file)) {
    return failure_status;
  }
  const LoadPlan planned = plan();
  ProfileStore store(std::make_shared<SnapshotCache>(),
                     std::make_shared<LineCache>(line_cache_directory()));
  const std::atomic<bool> cancelled = false;
  const ProfileStore::Progress no_progress = [](std::string_view, double) {};
  CommandDebugFiles debug_files("check");
  LoadReport report =
      store.load({planned, folders_, false, no_progress, cancelled, nullptr, debug_files.search()});
  for (const LoadedProgram& program : *store.programs()) {
    show_program(program);
    // Found only when the debug information was read.
    for (const Error& warning : program.snapshot->warnings()) {
      const bool told = std::find(report.warnings.begin(), report.warnings.end(), warning) !=
                        report.warnings.end();
      if (!told) report.warnings.push_back(warning);
    }
  }
  show_watches(planned.watch);
  show_problems(report);
  return show_result(report, store);
}

}  // namespace

int run_check(const CheckOptions& options) {
  std::error_code error;
  const fs::path folder = fs::canonical(options.directory, error);
  if (error || !fs::is_directory(folder, error)) {
    tell_of_command("check", fmt::format("{}: is not a readable directory", options.directory));
    return usage_status;
  }
  return CheckCommand(folder).run(options);
}

CommandSyntax check_syntax(CheckOptions& options) {
  CommandSyntax syntax;
  syntax.name = "check";
  syntax.summary = "Show what the server would find in a workspace";
  syntax.usage = {"[OPTION]... [DIR]"};
  syntax.about = "DIR is the workspace's folder; by default, the current directory.";
  syntax.groups = {{"Options",
                    {{0, "config", file_value("FILE", options.configuration_file),
                      "settings, as a JSON object, as for the server",
                      "Without settings, programs and profiles are looked for in the workspace."},
                     help_option()}}};
  syntax.closing =
      "Exit status: 0 if something would be shown and nothing failed, 1 if nothing\n"
      "would or something failed, 2 if the command line is wrong.";
  syntax.operands = ValueKind::directory;
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    if (operands.words.empty()) return {};
    if (operands.words.size() > 1) {
      return usage_error(fmt::format("{}: only one directory may be given", operands.words[1]));
    }
    options.directory = operands.words.front();
    if (options.directory.empty()) return usage_error("the directory has no name");
    return {};
  };
  return syntax;
}

}  // namespace gprof::lsp
