#include "server/cli/record/record_children.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/sidecar.h"
#include "engine/support/saturating.h"
#include "server/cli/record/record_files.h"
#include "server/cli/record/record_profiles.h"
#include "server/cli/record/record_words.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view usual_file_name = "gmon.out";
// Programs named in the last line; the others' time is added up.
constexpr std::size_t most_named = 4;
// Processes use some time before and after they are sampled.
constexpr double least_unseen_share = 0.1;
constexpr std::uint64_t least_unseen_time = 200'000'000;
constexpr std::uint64_t least_time_with_reason = 10'000'000;

// What starts the programs that are of interest, and is of interest itself only when it was named
// and nothing else took time. Without versions at their ends.
constexpr std::array<std::string_view, 57> programs_in_front = {
    "sh",     "ash",     "bash",    "dash",    "zsh",   "ksh",    "mksh",    "fish",    "csh",
    "tcsh",   "busybox", "env",     "nice",    "nohup", "time",   "timeout", "xargs",   "find",
    "setsid", "stdbuf",  "script",  "taskset", "chrt",  "ionice", "numactl", "setarch", "unshare",
    "sudo",   "doas",    "su",      "make",    "gmake", "ninja",  "samu",    "cmake",   "ctest",
    "meson",  "cargo",   "rustc",   "rustup",  "bazel", "just",   "scons",   "python",  "pypy",
    "perl",   "ruby",    "node",    "php",     "tclsh", "expect", "lua",     "prove",   "gdb",
    "strace", "ltrace",  "parallel"};

constexpr std::array<std::string_view, 10> system_directories = {
    "/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/opt/", "/snap/", "/nix/", "/gnu/", "/etc/"};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_of_system(std::string_view program) {
  return std::ranges::any_of(system_directories, [&](std::string_view directory) {
    return program.starts_with(directory);
  });
}

// A user may have made a program of such a name, but hardly where tools are installed.
bool is_in_front(std::string_view program) {
  const bool is_installed = is_of_system(program) || program.find("/.") != std::string_view::npos ||
                            program.find("conda") != std::string_view::npos;
  if (!is_installed) return false;
  std::string_view name = base_name(program);
  const std::size_t last = name.find_last_not_of("0123456789.-");
  name = name.substr(0, last + 1);
  return std::ranges::find(programs_in_front, name) != programs_in_front.end();
}

// Samples may hit a program by chance, as it starts: among many of others, so few say nothing. Nor
// do those of a tick of the kernel, which stands for more time than all runs of the program had.
constexpr std::uint64_t most_by_chance = 2;
constexpr std::uint64_t others_to_one = 100;

class BusyPrograms {
 public:
  explicit BusyPrograms(const std::vector<FoundProfile>& profiles) {
    for (const FoundProfile& profile : profiles) {
      samples_ = saturating_add(samples_, profile.figures.samples);
      cpu_time_ = saturating_add(cpu_time_, profile.figures.cpu_time);
      std::uint64_t& of_program = cpu_times_[profile.program];
      of_program = saturating_add(of_program, profile.figures.cpu_time);
    }
  }
  [[nodiscard]] bool has(const FoundProfile& profile) const {
    const ProfileFigures& figures = profile.figures;
    if (figures.calls != 0) return true;
    const std::uint64_t time = cpu_times_.find(profile.program)->second;
    const bool within_tick =
        time < figures.sampling.tick_period && time < cpu_time_ / others_to_one;
    return !within_tick && figures.samples > std::min(most_by_chance, samples_ / others_to_one);
  }

 private:
  std::uint64_t samples_ = 0;
  std::uint64_t cpu_time_ = 0;
  std::map<std::string, std::uint64_t> cpu_times_;  // by program
};

// The first of these that took time is kept.
enum class Rank : std::uint8_t { own, named, other };

class Ranking {
 public:
  Ranking(const std::vector<FoundProfile>& profiles, std::uint32_t process) : process_(process) {
    for (const FoundProfile& profile : profiles) {
      if (profile.process == process && is_in_front(profile.program)) {
        named_.push_back(profile.program);
      }
    }
  }

  [[nodiscard]] Rank of(const FoundProfile& profile) const {
    if (profile.figures.counts_calls) return Rank::own;
    const bool in_front = is_in_front(profile.program);
    if (!in_front && (profile.process == process_ || !is_of_system(profile.program))) {
      return Rank::own;
    }
    return std::ranges::find(named_, profile.program) != named_.end() ? Rank::named : Rank::other;
  }

 private:
  std::uint32_t process_;
  std::vector<std::string> named_;
};

// A shell may have become another shell, an env, and at last the python3 that took the time.
std::string busiest_program(const std::vector<FoundProfile>& profiles, const Ranking& ranking,
                            Rank rank) {
  std::map<std::string, std::uint64_t> samples;
  for (const FoundProfile& profile : profiles) {
    if (ranking.of(profile) != rank) continue;
    std::uint64_t& count = samples[profile.program];
    count = saturating_add(count, profile.figures.samples);
  }
  const auto most =
      std::ranges::max_element(samples, {}, [](const auto& one) { return one.second; });
  return most == samples.end() ? "" : most->first;
}

Rank chosen_rank(const std::vector<FoundProfile>& profiles, const Ranking& ranking,
                 const BusyPrograms& busy_programs) {
  Rank first = Rank::other;
  Rank busy = Rank::other;
  bool any_busy = false;
  for (const FoundProfile& profile : profiles) {
    const Rank rank = ranking.of(profile);
    first = std::min(first, rank);
    if (!busy_programs.has(profile)) continue;
    busy = any_busy ? std::min(busy, rank) : rank;
    any_busy = true;
  }
  return any_busy ? busy : first;
}

std::uint64_t time_of(const ChosenProfiles& profiles, std::uint64_t ProfileFigures::*figure) {
  std::uint64_t time = 0;
  for (const auto* list : {&profiles.kept, &profiles.left_out}) {
    for (const FoundProfile& profile : *list) time = saturating_add(time, profile.figures.*figure);
  }
  return time;
}

// Whether a time that is in no profile is worth a word.
bool is_much(std::uint64_t time, std::uint64_t least, std::uint64_t cpu_time) {
  return time >= least &&
         static_cast<double>(time) >= least_unseen_share * static_cast<double>(cpu_time);
}

bool counts_any_calls(const std::vector<FoundProfile>& profiles) {
  return std::ranges::any_of(
      profiles, [](const FoundProfile& profile) { return profile.figures.counts_calls; });
}

bool asks_for_samples(const std::vector<FoundProfile>& profiles) {
  return std::ranges::any_of(
      profiles, [](const FoundProfile& profile) { return profile.figures.requested_rate != 0; });
}

fs::path sidecar_of(const fs::path& profile) { return profile.string() + ".gpx"; }

}  // namespace

ChosenProfiles choose_profiles(std::vector<FoundProfile> profiles, Children which,
                               std::uint32_t process) {
  ChosenProfiles chosen;
  if (which == Children::all) {
    chosen.kept = std::move(profiles);
    return chosen;
  }
  std::vector<FoundProfile> candidates;
  for (FoundProfile& profile : profiles) {
    const bool is_candidate = which == Children::own || profile.process == process;
    (is_candidate ? candidates : chosen.left_out).push_back(std::move(profile));
  }
  const Ranking ranking(candidates, process);
  const BusyPrograms busy(candidates);
  const Rank rank = chosen_rank(candidates, ranking, busy);
  const std::string named =
      rank == Rank::named ? busiest_program(candidates, ranking, rank) : std::string();
  const bool any_busy = std::ranges::any_of(
      candidates, [&](const FoundProfile& profile) { return busy.has(profile); });
  for (FoundProfile& profile : candidates) {
    bool is_kept = ranking.of(profile) == rank && (named.empty() || profile.program == named);
    // Of what is in front, only what took time.
    if (rank != Rank::own && any_busy && !busy.has(profile)) is_kept = false;
    (is_kept ? chosen.kept : chosen.left_out).push_back(std::move(profile));
  }
  std::ranges::stable_sort(chosen.kept, [&](const FoundProfile& a, const FoundProfile& b) {
    if (a.process == process || b.process == process) return b.process != process;
    return a.figures.cpu_time > b.figures.cpu_time;
  });
  return chosen;
}

std::string describe_left_out(const std::vector<FoundProfile>& left_out) {
  if (left_out.empty()) return "";
  std::map<std::string_view, std::uint64_t> times;
  for (const FoundProfile& profile : left_out) {
    std::uint64_t& time = times[base_name(profile.program)];
    time = saturating_add(time, profile.figures.cpu_time);
  }
  std::vector<std::pair<std::string_view, std::uint64_t>> order(times.begin(), times.end());
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = "left out: ";
  const std::size_t named = order.size() > most_named + 1 ? most_named : order.size();
  for (std::size_t i = 0; i < named; ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", order[i].first,
                        seconds_text(seconds_of(order[i].second)));
  }
  std::uint64_t rest = 0;
  for (std::size_t i = named; i < order.size(); ++i) rest = saturating_add(rest, order[i].second);
  if (named != order.size()) {
    text += fmt::format(" and {} others {}", order.size() - named, seconds_text(seconds_of(rest)));
  }
  return text + " (--children=all keeps them)";
}

UnseenTime unseen_time(const ProcessEnd& end, std::uint64_t further,
                       const ChosenProfiles& profiles) {
  std::uint64_t sampled_in_first = 0;
  std::uint64_t sampled_in_further = 0;
  bool first_has_profile = false;
  for (const auto* part : {&profiles.kept, &profiles.left_out}) {
    for (const FoundProfile& profile : *part) {
      const bool is_first = profile.process == static_cast<std::uint32_t>(end.process);
      first_has_profile = first_has_profile || is_first;
      std::uint64_t& sampled = is_first ? sampled_in_first : sampled_in_further;
      for (const auto figure : {&ProfileFigures::cpu_time, &ProfileFigures::unsampled_time,
                                &ProfileFigures::earlier_time}) {
        sampled = saturating_add(sampled, profile.figures.*figure);
      }
    }
  }
  const std::uint64_t sampled = saturating_add(sampled_in_first, sampled_in_further);
  const std::uint64_t with_profile =
      saturating_add(first_has_profile ? std::max(end.own_cpu_time, sampled_in_first) : 0,
                     std::max(further, sampled_in_further));
  return {end.cpu_time - std::min(end.cpu_time, with_profile), with_profile - sampled};
}

std::vector<std::string> describe_unseen(const UnseenTime& time, std::uint64_t cpu_time,
                                         const ChosenProfiles& profiles,
                                         const std::string& problem) {
  // A program that counts calls may have turned sampling off.
  if (counts_any_calls(profiles.kept) || counts_any_calls(profiles.left_out)) return {};
  std::vector<std::string> texts;
  // With a known reason, even a short time is not explained by start and end alone.
  const std::uint64_t least = problem.empty() ? least_unseen_time : least_time_with_reason;
  if (is_much(time.not_sampled, least, cpu_time) && asks_for_samples(profiles.kept)) {
    texts.push_back(
        fmt::format("{} on CPU were not sampled: {}", seconds_text(seconds_of(time.not_sampled)),
                    problem.empty() ? "the start and end of threads and processes"
                                    : fmt::format("the collector reported: {}", problem)));
  }
  if (is_much(time.of_others, least_unseen_time, cpu_time)) {
    texts.push_back(fmt::format(
        "{} on CPU were of programs without a profile: short ones, or static, set-user-ID, Go or "
        "musl ones, which perf can record",
        seconds_text(seconds_of(time.of_others))));
  }
  return texts;
}

std::string describe_unsampled(std::uint64_t cpu_time, const ChosenProfiles& profiles) {
  std::string text;
  const auto add = [&](std::uint64_t ProfileFigures::*figure, std::string_view what) {
    const std::uint64_t time = time_of(profiles, figure);
    if (!is_much(time, least_unseen_time, cpu_time)) return;
    if (!text.empty()) text += "; ";
    text += fmt::format("{} on CPU were {}", seconds_text(seconds_of(time)), what);
  };
  add(&ProfileFigures::earlier_time, "before sampling began, in constructors of libraries");
  add(&ProfileFigures::unsampled_time, "of threads that could not be sampled");
  return text;
}

void remove_profile(const FoundProfile& profile) {
  std::error_code ignored;
  for (const fs::path& library : profile.libraries) fs::remove(library, ignored);
  fs::remove(profile.path, ignored);
  fs::remove(sidecar_of(profile.path), ignored);
}

void give_usual_name(FoundProfile& profile, std::uint64_t started) {
  const std::string name = profile.path.filename().string();
  // The names of libraries' files are in the sidecar.
  const bool is_numbered = name.size() > usual_file_name.size() + 1 &&
                           name.starts_with(usual_file_name) && name[usual_file_name.size()] == '.';
  if (!is_numbered || !profile.libraries.empty()) return;
  const fs::path directory = profile.path.parent_path();
  const fs::path usual = directory / usual_file_name;
  const NamesLock lock(directory);
  if (written_since(usual, started) || written_since(sidecar_of(usual), started)) return;
  std::error_code error;
  fs::rename(sidecar_of(profile.path), sidecar_of(usual), error);
  if (!error) fs::rename(profile.path, usual, error);
  if (!error) profile.path = usual;
}

}  // namespace gprof::lsp
