#include "server/discovery/live_profiles.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "server/discovery/glob_pattern.h"
#include "server/discovery/live_files.h"
#include "server/discovery/profile_names.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// More processes at once are not shown.
constexpr std::size_t most_files = 32;

template <typename Value>
bool holds(const std::vector<Value>& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool is_readable(const LiveLook& look) { return (look.flags & process_flags::kept_readable) != 0; }

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return a == b || fs::equivalent(a, b, ignored);
}

// A name that no collector would give is not trusted, and refers to no file.
fs::path profile_of(const fs::path& live, const LiveLook& look) {
  const fs::path named = look.profile_name;
  const bool is_name = is_collected_name(named.filename().native(), look.process);
  return (live.parent_path() / (is_name ? named : fs::path("gmon.out"))).lexically_normal();
}

FileTime newest_of(const std::vector<fs::path>& profiles) {
  FileTime newest = 0;
  for (const fs::path& profile : profiles) {
    if (const auto stamp = file_stamp(profile)) newest = std::max(newest, stamp->modified);
  }
  return newest;
}

std::string how_to_recover(const fs::path& live) {
  return fmt::format("`gprof-lsp recover {}` makes a profile of them", live.parent_path().string());
}

Error trouble_of(const fs::path& live, const LiveLook& look) {
  if (look.trouble) return *look.trouble;
  if (look.stage == LiveStage::killed) {
    return {ErrorCode::no_profile_data,
            fmt::format("holds the counts of process {}, which has ended without writing its "
                        "profile; {}",
                        look.process, how_to_recover(live)),
            live.string(), std::nullopt};
  }
  if (look.stage == LiveStage::finished) {
    return {ErrorCode::not_found, "the process has written its profile", live.string(), {}};
  }
  return {ErrorCode::no_profile_data, "nothing has been counted yet", live.string(), {}};
}

// Which code was called. There may be as many calls as modules.
class CalledCode {
 public:
  explicit CalledCode(const LiveCounters& counters) {
    called_.reserve(counters.calls.size());
    for (const LiveCall& call : counters.calls) called_.push_back(call.self);
    std::ranges::sort(called_);
  }
  [[nodiscard]] bool has(const LiveModule& module) const {
    const auto found = std::ranges::lower_bound(called_, module.text_low);
    return found != called_.end() && *found < module.text_high;
  }

 private:
  std::vector<std::uint64_t> called_;
};

}  // namespace

std::set<fs::path> live_files_beside(const std::vector<fs::path>& profiles,
                                     DirectoryListings& listings) {
  std::set<fs::path> directories;
  for (const fs::path& profile : profiles) directories.insert(profile.parent_path());
  std::set<fs::path> files;
  for (const fs::path& directory : directories) {
    for (const std::string& name : listings.of(directory)) {
      if (live_file_process(name) != 0) files.insert(directory / name);
    }
  }
  return files;
}

void LiveProfiles::look(const std::set<fs::path>& files) {
  for (const fs::path& path : files) {
    if (files_.size() >= most_files) break;
    auto look = counts_.look(path);
    if (!look || (look->stage == LiveStage::finished && look->counters == nullptr)) continue;
    const bool may_change =
        look->stage == LiveStage::beginning || look->stage == LiveStage::running;
    look_again_ = look_again_ || may_change;
    // Earlier counters remain valid.
    if (look->trouble) warnings_.push_back(*look->trouble);
    File file{path, std::move(*look), {}, {}, {}};
    file.becomes = profile_of(path, file.look);
    if (file.look.counters) {
      for (const LiveModule& module : file.look.counters->modules) {
        if ((module.flags & module_flags::main) == 0) continue;
        file.executable = module.path;
        file.build_id = module.build_id;
      }
    }
    files_.push_back(std::move(file));
  }
  std::stable_sort(files_.begin(), files_.end(), [](const File& a, const File& b) {
    const auto rank = [](const File& file) {
      return std::tuple((file.look.flags & process_flags::forked) != 0, ~file.look.start_time);
    };
    return rank(a) < rank(b);
  });
}

bool LiveProfiles::is_of(const File& file, const fs::path& executable) {
  if (file.executable.empty() && file.build_id.empty()) return false;
  // Also if it was rebuilt meanwhile: reading the counts reports that.
  if (same_file(file.executable, executable)) return true;
  const BinaryFacts* binary = catalog_.binary(executable);
  return binary != nullptr && !file.build_id.empty() && binary->build_id == file.build_id;
}

std::vector<LiveProfiles::Running> LiveProfiles::running_of(const std::set<fs::path>& binaries) {
  std::vector<Running> running;
  for (const File& file : files_) {
    const LiveLook& look = file.look;
    const bool ended = look.stage == LiveStage::killed;
    if (!is_readable(look) || (look.stage != LiveStage::running && !ended)) continue;
    auto binary = binaries.find(file.executable);
    if (binary == binaries.end()) {
      binary = std::find_if(binaries.begin(), binaries.end(),
                            [&](const fs::path& path) { return is_of(file, path); });
    }
    if (binary == binaries.end()) continue;
    if (!ended || look.was_seen_running) {
      running.push_back({*binary, file.becomes});
    } else if (!file_stamp(file.becomes)) {
      warnings_.push_back(trouble_of(file.path, look));
    }
  }
  return running;
}

void LiveProfiles::warn(const File& file, ErrorCode code, std::string message) {
  warnings_.push_back(Error{code, std::move(message), file.path.string(), std::nullopt});
}

void LiveProfiles::attach(const File& file, PlannedProgram& program) {
  const LiveLook& look = file.look;
  PlannedLive live{file.path, look.stamp, look.counters, look.process, false, std::nullopt};
  live.running = look.stage == LiveStage::running;
  const bool shown = live.running || (look.stage == LiveStage::killed && look.was_seen_running);
  if (!shown || look.counters == nullptr) {
    live.counters = nullptr;
    live.trouble = trouble_of(file.path, look);
    // It is reported as the reason why the program is not shown.
    std::erase(warnings_, *live.trouble);
  } else if (look.stage == LiveStage::killed && !look.trouble) {
    warn(file, ErrorCode::no_profile_data,
         fmt::format("process {} was killed: its counts up to then are shown; {}", look.process,
                     how_to_recover(file.path)));
  }
  program.live.push_back(std::move(live));
}

bool LiveProfiles::may_be_shown(const File& file, const Rules& rules,
                                const PlannedProgram& program) {
  const LiveLook& look = file.look;
  if (look.counters == nullptr || !is_readable(look) || look.stage == LiveStage::finished)
    return false;
  if (!is_of(file, program.executable)) {
    const bool expected = !rules.any && holds(program.profiles, file.becomes);
    if (expected && look.stage == LiveStage::running) {
      warn(file, ErrorCode::mismatch,
           fmt::format("process {} runs {}, not {}, and will write the profile {}", look.process,
                       file.executable.string(), program.executable.string(),
                       file.becomes.string()));
    }
    return false;
  }
  if (look.stage == LiveStage::running) return true;
  // For a killed process: a newer run takes precedence.
  const std::vector<fs::path>& rivals =
      look.was_seen_running ? std::vector<fs::path>{file.becomes} : program.profiles;
  if (newest_of(rivals) > static_cast<FileTime>(look.start_time)) return false;
  if (!look.was_seen_running) warnings_.push_back(trouble_of(file.path, look));
  return look.was_seen_running;
}

void LiveProfiles::apply(const Rules& rules, PlannedProgram& program) {
  std::set<fs::path> taken;
  for (const File& file : files_) {
    if (holds(program.profiles, file.path)) {
      attach(file, program);
      taken.insert(file.becomes);
      continue;
    }
    if (!may_be_shown(file, rules, program)) continue;
    std::vector<fs::path>& profiles = program.profiles;
    const auto place = std::find(profiles.begin(), profiles.end(), file.becomes);
    const bool named = std::any_of(rules.patterns.begin(), rules.patterns.end(),
                                   [&](const auto& p) { return glob_matches(p, file.becomes); });
    if (!taken.insert(file.becomes).second || (rules.any && !program.live.empty())) {
      if (!holds(program.candidates, file.path)) program.candidates.push_back(file.path);
      continue;
    }
    if (rules.any) {
      profiles = {file.path};
    } else if (place != profiles.end()) {
      *place = file.path;
    } else if (named) {
      profiles.push_back(file.path);
    } else {
      continue;
    }
    if (!holds(program.candidates, file.path)) {
      program.candidates.insert(program.candidates.begin(), file.path);
    }
    attach(file, program);
  }
}

std::vector<PlannedProgram> live_libraries_of(const PlannedProgram& program) {
  std::vector<PlannedProgram> libraries;
  std::set<fs::path> known;
  for (const PlannedLive& live : program.live) {
    if (live.counters == nullptr) continue;
    const CalledCode called(*live.counters);
    for (const LiveModule& module : live.counters->modules) {
      constexpr std::uint32_t counts = module_flags::profiled | module_flags::blocks;
      const bool is_library =
          (module.flags & module_flags::main) == 0 && (module.flags & counts) != 0;
      if (!is_library || known.contains(module.path) || !file_stamp(module.path) ||
          !called.has(module)) {
        continue;
      }
      known.insert(module.path);
      libraries.push_back(
          {module.path, {live.path}, {live.path}, program.path_map, program.executable, {live}});
    }
  }
  return libraries;
}

}  // namespace gprof::lsp
