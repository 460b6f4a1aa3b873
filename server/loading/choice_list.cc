#include "server/loading/choice_list.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "server/discovery/program_names.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_choices = 20;  // of a list that is still readable

std::string profile_text(const std::string& name, const std::filesystem::path& path, FileTime now) {
  const auto stamp = file_stamp(path);
  return stamp ? fmt::format("{}, {}", name, age_text(stamp->modified, now))
               : fmt::format("{}, no longer there", name);
}

std::vector<OfferedChoice> choices_of(const LoadedProgram& program, FileTime now) {
  const std::filesystem::path executable = program.snapshot->image().path();
  const auto& candidates = program.candidates;
  const std::vector<std::string> names = distinct_names(candidates);
  std::vector<OfferedChoice> choices;
  if (candidates.size() == 1) {
    const std::string text = profile_text(names.front(), candidates.front(), now);
    choices.push_back({fmt::format("{} — {}", program.name, text), {executable, {}}});
    return choices;
  }
  choices.push_back({fmt::format("{} — as without a choice", program.name), {executable, {}}});
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string text = profile_text(names[i], candidates[i], now);
    choices.push_back({fmt::format("{} — {}", program.name, text), {executable, {candidates[i]}}});
    if (i > 0) continue;
    choices.push_back({fmt::format("{} — sum of {} profiles", program.name, candidates.size()),
                       {executable, candidates}});
  }
  return choices;
}

bool is_shown(const LoadedProgram& program, const std::filesystem::path& profile) {
  const auto& shown = program.snapshot->profile_paths();
  return std::find(shown.begin(), shown.end(), profile.string()) != shown.end();
}

}  // namespace

std::vector<OfferedChoice> offered_bases(const std::vector<LoadedProgram>& programs, FileTime now) {
  std::vector<OfferedChoice> offered;
  std::set<std::string> titles;
  if (!programs.empty() && programs.front().comparison) {
    offered.push_back({"No comparison", {}});
  }
  for (const LoadedProgram& program : programs) {
    if (!program.part_of.empty()) continue;
    const std::vector<std::string> names = distinct_names(program.candidates);
    for (std::size_t i = 0; i < names.size() && offered.size() < most_choices; ++i) {
      const std::filesystem::path& profile = program.candidates[i];
      if (&program == &programs.front() && is_shown(program, profile)) continue;
      std::string title =
          fmt::format("{} — {}", program.name, profile_text(names[i], profile, now));
      if (!titles.insert(title).second) continue;
      offered.push_back({std::move(title), {program.snapshot->image().path(), {profile}}});
    }
  }
  return offered;
}

std::vector<OfferedChoice> offered_choices(const std::vector<LoadedProgram>& programs,
                                           FileTime now) {
  std::vector<std::vector<OfferedChoice>> all;
  std::size_t longest = 0;
  for (const LoadedProgram& program : programs) {
    // Libraries follow the program that they ran in.
    if (!program.part_of.empty() || program.candidates.empty()) continue;
    all.push_back(choices_of(program, now));
    longest = std::max(longest, all.back().size());
  }
  // How many of each program fit: one more of each while there is room.
  std::vector<std::size_t> taken(all.size(), 0);
  std::size_t total = 0;
  for (std::size_t round = 0; round < longest; ++round) {
    for (std::size_t i = 0; i < all.size() && total < most_choices; ++i) {
      if (round >= all[i].size()) continue;
      ++taken[i];
      ++total;
    }
  }
  std::vector<OfferedChoice> offered;
  std::set<std::string> titles;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < taken[i]; ++k) {
      if (titles.insert(all[i][k].title).second) offered.push_back(std::move(all[i][k]));
    }
  }
  return offered;
}

}  // namespace gprof::lsp
