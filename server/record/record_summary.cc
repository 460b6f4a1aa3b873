#include "server/record/record_summary.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/support/saturating.h"
#include "server/features/number_text.h"

namespace gprof::lsp {
namespace {

constexpr double nanoseconds_a_second = 1e9;
// Names of files in one line; the rest is counted.
constexpr std::size_t most_names = 8;

std::string counted(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", exact_count(count), thing, count == 1 ? "" : "s");
}

std::string samples_of(const ProfileFigures& figures) {
  if (figures.requested_rate == 0) return "no samples asked for";
  if (!figures.has_timer && figures.samples == 0) return "no samples (the system gave no timer)";
  const double seconds = static_cast<double>(figures.cpu_time) / nanoseconds_a_second;
  if (figures.samples == 0 || figures.cpu_time == 0) {
    return fmt::format("no samples in {:.3f} s of CPU time", seconds);
  }
  return fmt::format("{} at {:.1f} of {} Hz", counted(figures.samples, "sample"),
                     static_cast<double>(figures.samples) / seconds, figures.requested_rate);
}

std::string losses_of(const ProfileFigures& figures) {
  std::string text;
  const auto add = [&text](std::string part) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", part);
  };
  if (figures.lost_calls != 0) add(counted(figures.lost_calls, "call") + " lost");
  if (figures.lost_samples != 0) add(counted(figures.lost_samples, "sample") + " lost");
  if (figures.lost_stacks != 0) add(counted(figures.lost_stacks, "stack") + " lost");
  if (figures.incomplete) add("some counters did not fit on the disk and are lost");
  return text.empty() ? "nothing lost" : text;
}

std::string names_of(const std::vector<std::filesystem::path>& paths) {
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), most_names); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", paths[i].string());
  }
  if (paths.size() > most_names) text += fmt::format(" and {} more", paths.size() - most_names);
  return text;
}

}  // namespace

void add_figures(ProfileFigures& total, const ProfileFigures& other) {
  total.calls = saturating_add(total.calls, other.calls);
  total.samples = saturating_add(total.samples, other.samples);
  total.cpu_time = saturating_add(total.cpu_time, other.cpu_time);
  if (total.requested_rate == 0) total.requested_rate = other.requested_rate;
  total.has_timer = total.has_timer && other.has_timer;
  total.threads += other.threads;
  total.lost_calls = saturating_add(total.lost_calls, other.lost_calls);
  total.lost_samples = saturating_add(total.lost_samples, other.lost_samples);
  total.lost_stacks = saturating_add(total.lost_stacks, other.lost_stacks);
  total.incomplete = total.incomplete || other.incomplete;
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string describe_figures(const ProfileFigures& figures) {
  return fmt::format("{}, {}, {}, {}", counted(figures.calls, "call"), samples_of(figures),
                     counted(figures.threads, "thread"), losses_of(figures));
}

std::string describe_profiles(const std::vector<FoundProfile>& profiles) {
  const FoundProfile& first = profiles.front();
  std::string text = fmt::format("{}: {}", first.path.string(), describe_figures(first.figures));
  if (first.killed_by != 0) text += fmt::format("; killed by {}", signal_name(first.killed_by));
  if (first.recovered) text += "; recovered";
  std::vector<std::filesystem::path> libraries;
  std::vector<std::filesystem::path> later;  // of programs that the same process became
  std::vector<std::filesystem::path> others;
  std::uint64_t losing = 0;
  for (const FoundProfile& profile : profiles) {
    libraries.insert(libraries.end(), profile.libraries.begin(), profile.libraries.end());
    if (&profile == &first) continue;
    (profile.process == first.process ? later : others).push_back(profile.path);
    losing += losses_of(profile.figures) == "nothing lost" ? 0 : 1;
  }
  if (!libraries.empty()) text += fmt::format("; libraries: {}", names_of(libraries));
  if (!later.empty()) text += fmt::format("; after exec: {}", names_of(later));
  if (!others.empty()) text += fmt::format("; further processes: {}", names_of(others));
  if (losing != 0) text += fmt::format(" ({} with losses)", losing);
  return text;
}

}  // namespace gprof::lsp
