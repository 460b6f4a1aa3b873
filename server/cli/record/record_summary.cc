#include "server/cli/record/record_summary.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "server/cli/record/record_sampling.h"
#include "server/cli/record/record_words.h"
#include "server/features/crash_text.h"

namespace gprof::lsp {
namespace {

// A program that was runnable for less of its time was mostly blocked.
constexpr double least_busy_share = 1.0 / 3;
// Shorter waits for a CPU are noise.
constexpr double notable_cpu_wait_share = 0.1;
// Less is just a program's startup and exit.
constexpr double noticeable_waiting = 0.01;  // seconds
// File names per line; the rest is only counted.
constexpr std::size_t most_names = 8;

// Empty if nothing was lost.
std::string losses_of(const ProfileFigures& figures) {
  std::string text;
  const auto add = [&text](std::string part) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", part);
  };
  if (figures.lost_calls != 0) add(counted(figures.lost_calls, "call") + " lost");
  if (figures.lost_samples != 0) add(counted(figures.lost_samples, "sample") + " lost");
  if (figures.lost_stacks != 0) add(counted(figures.lost_stacks, "stack") + " lost");
  if (figures.limited) add("the counters reached their limit (GPROF_LIVE_LIMIT)");
  if (figures.incomplete) add("some counters did not fit on the disk and are lost");
  return text;
}

// Empty if no process recorded how long it ran.
std::string times_of(const ProfileFigures& figures) {
  const double wall = seconds_of(wall_time(figures));
  if (wall <= 0) return "";
  const double busy = seconds_of(figures.cpu_time);
  if (figures.measures_waits) {
    std::string text = fmt::format("ran {}, {} on CPU, waited {}", seconds_text(wall),
                                   seconds_text(busy), seconds_text(seconds_of(figures.waited)));
    if (figures.idle != 0) text += fmt::format(", idle {}", seconds_text(seconds_of(figures.idle)));
    return text;
  }
  // The kernel's figure covers the whole process, including programs it executed before this one.
  const double cpu_wait = std::clamp(seconds_of(figures.cpu_wait), 0.0, std::max(wall - busy, 0.0));
  std::string text = fmt::format("{} {}, {} on CPU", figures.observed ? "observed" : "ran",
                                 seconds_text(wall), seconds_text(busy));
  if (cpu_wait >= notable_cpu_wait_share * wall && cpu_wait >= noticeable_waiting) {
    text += fmt::format(", waited {} for a CPU", seconds_text(cpu_wait));
  }
  const double blocked = wall - busy - cpu_wait;
  if (busy + cpu_wait < least_busy_share * wall && blocked >= noticeable_waiting) {
    text += ": waiting is not in the figures";
  }
  return text;
}

// The CPU time of several threads may exceed the run's.
std::string headline_of(const ProfileFigures& figures) {
  const double wall = seconds_of(wall_time(figures));
  if (wall <= 0) return "";
  const double busy = seconds_of(figures.cpu_time);
  return fmt::format("{} CPU {} {}", seconds_text(busy), busy <= wall ? "of" : "in",
                     seconds_text(wall));
}

std::string names_of(const std::vector<std::filesystem::path>& paths) {
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), most_names); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", paths[i].string());
  }
  if (paths.size() > most_names) text += fmt::format(" and {} more", paths.size() - most_names);
  return text;
}

// "parse.c:12 (parse_word)"
std::string describe_place(const CrashedAt& crash) {
  const std::filesystem::path path = crash.path;
  std::string text = fmt::format("{}:{}", path.filename().string(), crash.line);
  if (!crash.function.empty()) text += fmt::format(" ({})", crash.function);
  return text;
}

}  // namespace

DescribedFigures describe_figures(const ProfileFigures& figures, std::size_t processes) {
  const std::string units =
      fmt::format("{}{}", processes > 1 ? fmt::format("{} processes, ", processes) : "",
                  counted(figures.threads, "thread"));
  const std::string losses = losses_of(figures);
  const std::string samples = describe_samples(figures);
  std::string text;
  if (figures.observed) {
    text = fmt::format("{}, {}, {}", samples, units, losses.empty() ? "nothing lost" : losses);
  } else if (figures.counts_calls || !figures.counts_no_calls) {
    text = fmt::format("{}, {}, {}, {}", counted(figures.calls, "call"), samples, units,
                       losses.empty() ? "nothing lost" : losses);
  } else {
    text = fmt::format("{}, {}{}{}; calls are not counted (built without -pg)", samples, units,
                       losses.empty() ? "" : ", ", losses);
  }
  return {std::move(text), times_of(figures), headline_of(figures), remarks_on_samples(figures)};
}

DescribedFigures describe_figures(const std::vector<FoundProfile>& profiles) {
  ProfileFigures total;
  std::set<std::uint32_t> processes;
  for (const FoundProfile& profile : profiles) {
    add_figures(total, profile.figures);
    processes.insert(profile.process);
  }
  return describe_figures(total, processes.size());
}

std::string describe_profiles(const std::vector<FoundProfile>& profiles,
                              const std::vector<std::string>& left_out) {
  const FoundProfile& first = profiles.front();
  const DescribedFigures described = describe_figures(profiles);
  std::string text = fmt::format("{}: {}", first.path.string(), described.figures);
  if (!described.times.empty()) text += "; " + described.times;
  for (const std::string& remark : described.remarks) text += "; " + remark;
  for (const std::string& remark : left_out) text += "; " + remark;
  if (first.killed_by != 0) text += fmt::format("; killed by {}", signal_name(first.killed_by));
  if (first.crash) text += " at " + describe_place(*first.crash);
  if (first.recovered) text += "; recovered";
  std::vector<std::filesystem::path> libraries;
  std::vector<std::filesystem::path> later;  // of programs that the same process executed later
  std::vector<std::filesystem::path> others;
  for (const FoundProfile& profile : profiles) {
    libraries.insert(libraries.end(), profile.libraries.begin(), profile.libraries.end());
    if (&profile == &first) continue;
    (profile.process == first.process ? later : others).push_back(profile.path);
  }
  if (!libraries.empty()) text += fmt::format("; libraries: {}", names_of(libraries));
  if (!later.empty()) text += fmt::format("; after exec: {}", names_of(later));
  if (!others.empty()) text += fmt::format("; further processes: {}", names_of(others));
  return text;
}

}  // namespace gprof::lsp
