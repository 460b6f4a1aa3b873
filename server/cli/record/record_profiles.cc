#include "server/cli/record/record_profiles.h"

#include <algorithm>
#include <csignal>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include <sys/stat.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view sidecar_ending = ".gpx";
// File times are those of the kernel's last tick, slightly behind the clock.
constexpr std::uint64_t clock_slack = 1'000'000'000;

struct Candidate {
  FoundProfile profile;
  std::uint32_t parent = 0;
  std::uint32_t recorded_process = 0;
};

void search_directory(const fs::path& directory, const ProfileSearch& search,
                      CollectorCode& collector, std::vector<Candidate>& candidates,
                      Warnings& warnings) {
  std::error_code error;
  fs::directory_iterator entries(directory.empty() ? fs::path(".") : directory, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path path = directory / entries->path().filename();
    if (path.extension() != sidecar_ending || !written_since(path, search.started_since)) continue;
    const auto sidecar = read_sidecar_file(path);
    if (!sidecar) {
      warnings.push_back(sidecar.error());
      continue;
    }
    if (sidecar->process.start_time < search.started_since) continue;
    fs::path profile = path;
    profile.replace_extension();
    std::error_code missing;
    if (!fs::exists(profile, missing)) continue;
    candidates.push_back({profile_of(*sidecar, profile, collector), sidecar->process.parent_process,
                          sidecar->process.recorded_process});
  }
}

// Those of the process and its descendants. A program with a cleared environment does not know that
// it is recorded; its parent may.
std::vector<FoundProfile> take_own(std::vector<Candidate> candidates, std::uint32_t process) {
  std::vector<FoundProfile> own;
  std::set<std::uint32_t> processes = {process};
  const auto is_own = [&](const Candidate& candidate) {
    if (candidate.recorded_process != 0) return candidate.recorded_process == process;
    return processes.contains(candidate.profile.process) || processes.contains(candidate.parent);
  };
  for (std::size_t known = 0; known != processes.size();) {
    known = processes.size();
    for (const Candidate& candidate : candidates) {
      if (is_own(candidate)) processes.insert(candidate.profile.process);
    }
  }
  for (Candidate& candidate : candidates) {
    if (is_own(candidate)) own.push_back(std::move(candidate.profile));
  }
  return own;
}

}  // namespace

bool written_since(const fs::path& path, std::uint64_t time) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto written = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                       static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  return written + clock_slack >= time;
}

FoundProfiles find_profiles(const ProfileSearch& search) {
  FoundProfiles found;
  std::vector<fs::path> directories = search.directories;
  std::ranges::sort(directories);
  directories.erase(std::unique(directories.begin(), directories.end()), directories.end());
  CollectorCode collector;
  std::vector<Candidate> candidates;
  for (const fs::path& directory : directories) {
    search_directory(directory, search, collector, candidates, found.warnings);
  }
  found.profiles = take_own(std::move(candidates), search.process);
  std::ranges::sort(found.profiles, {}, [&](const FoundProfile& profile) {
    return std::tuple(profile.process != search.process, profile.process, profile.image_number,
                      profile.path);
  });
  return found;
}

FoundProfile profile_of(const Sidecar& sidecar, const fs::path& path, CollectorCode& collector) {
  const SidecarProcess& process = sidecar.process;
  FoundProfile found;
  found.path = path;
  found.process = process.process;
  found.image_number = process.image_number;
  if (process.ending == Ending::killed) found.killed_by = process.exit_status;
  // `record` sees only how the process that it started has ended; of others, the crash tells.
  if (process.ending == Ending::aborted) found.killed_by = SIGABRT;
  if (found.killed_by == 0 && !sidecar.crashes.empty()) {
    found.killed_by = sidecar.crashes.front().signal;
  }
  const std::string name = path.filename().string();
  for (const SidecarModule& module : sidecar.modules) {
    if ((module.flags & module_flags::main) != 0) {
      found.program = module.path;
      found.build_id = module.build_id;
    }
    if (module.file.empty() || !module.file.starts_with(name + ".")) continue;
    // Nothing outside the directory.
    if (module.file.find('/') != std::string::npos) continue;
    found.libraries.push_back(path.parent_path() / module.file);
    found.library_names.push_back(module.file.substr(name.size() + 1));
  }
  found.figures = figures_of(sidecar, collector);
  return found;
}

}  // namespace gprof::lsp
