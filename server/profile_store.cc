#include "server/profile_store.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// A relative path of the settings: below the first workspace folder that has such a file.
fs::path resolve(const std::string& path, const std::vector<fs::path>& folders) {
  fs::path given = path;
  if (given.is_absolute() || folders.empty()) return given;
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::exists(folder / given, error)) return folder / given;
  }
  return folders.front() / given;
}

std::vector<fs::path> profiles_of(const ProgramSettings& program, const fs::path& executable,
                                  const std::vector<fs::path>& folders) {
  const fs::path base = folders.empty() ? executable.parent_path() : folders.front();
  std::vector<fs::path> profiles;
  for (const std::string& pattern : program.profiles) {
    for (fs::path& file : expand_glob(pattern, base)) profiles.push_back(std::move(file));
  }
  if (!program.profiles.empty()) return profiles;
  // Where a profile lands when nobody says: the directory that the program ran in.
  for (const fs::path& place : {executable.parent_path(), base}) {
    std::error_code error;
    if (fs::exists(place / "gmon.out", error)) return {place / "gmon.out"};
  }
  return {base / "gmon.out"};
}

void add_new(Warnings& list, const Error& error) {
  if (std::find(list.begin(), list.end(), error) == list.end()) list.push_back(error);
}

}  // namespace

ProgramList ProfileStore::programs() const {
  const std::lock_guard lock(mutex_);
  return programs_;
}

std::vector<ProfileStore::Plan> ProfileStore::plan(const ClientSettings& settings,
                                                   const std::vector<fs::path>& folders,
                                                   LoadReport& report) {
  std::vector<Plan> plans;
  for (const ProgramSettings& program : settings.programs) {
    const fs::path executable = resolve(program.executable, folders);
    plans.push_back({{executable, profiles_of(program, executable, folders)}, program.path_map});
  }
  if (!settings.programs.empty()) return plans;
  Discovery discovery = discover_programs(folders);
  for (ProgramFiles& files : discovery.programs) plans.push_back({std::move(files), {}});
  for (const Error& warning : discovery.warnings) add_new(report.warnings, warning);
  if (plans.empty()) {
    report.remarks.emplace_back(
        "No profile found in the workspace: build the program with -pg, run it, and its gmon.out "
        "is shown; or name program and profiles in the setting gprof.programs.");
  }
  if (!discovery.complete) {
    report.remarks.emplace_back(
        "The workspace holds more files than were looked at for profiles: name program and "
        "profiles in the setting gprof.programs.");
  }
  return plans;
}

const LoadedProgram* ProfileStore::loaded_before(const fs::path& executable,
                                                 const ProgramList& before) const {
  for (const LoadedProgram& program : *before) {
    if (program.snapshot->image().path() == executable.string()) return &program;
  }
  return nullptr;
}

// A profile that vanished or is being written right now is not found; what it showed stays.
void ProfileStore::keep_undiscovered(const std::vector<LoadedProgram>& before,
                                     const std::vector<Plan>& plans,
                                     std::vector<LoadedProgram>& after) {
  for (const LoadedProgram& program : before) {
    const bool planned = std::ranges::any_of(plans, [&](const Plan& p) {
      return p.files.executable.string() == program.snapshot->image().path();
    });
    if (!planned) after.push_back(program);
  }
}

LoadReport ProfileStore::load(const ClientSettings& settings, const std::vector<fs::path>& folders,
                              const Progress& progress, const std::atomic<bool>& cancelled) {
  LoadReport report;
  const std::vector<Plan> plans = plan(settings, folders, report);
  const ProgramList before = programs();
  auto after = std::make_shared<std::vector<LoadedProgram>>();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Plan& planned = plans[i];
    report.files.push_back(planned.files.executable);
    report.files.insert(report.files.end(), planned.files.profiles.begin(),
                        planned.files.profiles.end());
    AnalysisRequest request;
    request.executable = planned.files.executable;
    request.profiles = planned.files.profiles;
    request.cancelled = &cancelled;
    request.progress = [&](std::string_view step, double share) {
      progress(step, (static_cast<double>(i) + share) / static_cast<double>(plans.size()));
    };
    auto snapshot = analyse(request);
    if (!snapshot) {
      if (snapshot.error().code == ErrorCode::cancelled) return report;
      add_new(report.failures, snapshot.error());
      const LoadedProgram* last_good = loaded_before(planned.files.executable, before);
      if (last_good != nullptr) after->push_back(*last_good);
      continue;
    }
    for (const Error& warning : (*snapshot)->warnings()) add_new(report.warnings, warning);
    ++report.loaded;
    after->push_back({*snapshot, std::make_shared<const SourcePaths>((*snapshot)->sources(),
                                                                     planned.path_map, folders)});
  }
  if (settings.programs.empty()) keep_undiscovered(*before, plans, *after);
  const std::lock_guard lock(mutex_);
  programs_ = std::move(after);
  return report;
}

}  // namespace gprof::lsp
