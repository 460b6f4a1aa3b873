#include "server/cli/record/recover_live.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/gmon/collected_profile.h"
#include "engine/gmon/live_counters.h"
#include "engine/gmon/sidecar.h"
#include "engine/gmon/writer.h"
#include "engine/support/input_file.h"
#include "server/cli/record/record_files.h"
#include "server/cli/record/recover_symbols.h"
#include "server/discovery/live_files.h"
#include "server/discovery/profile_names.h"
#include "server/system/new_file.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view usual_name = "gmon.out";
constexpr std::uint64_t header_bytes = 4096;
// Size of the magic at the start of the file.
constexpr std::size_t magic_bytes = 8;

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

bool is_there(const fs::path& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0;
}

// An existing file that is not a profile or sidecar is not ours.
bool is_foreign(const fs::path& path) { return is_there(path) && !begins_like_gmon(path); }
bool is_foreign_sidecar(const fs::path& path) {
  return is_there(path) && !begins_like_sidecar(path);
}

// Whether the name belongs to anything but a file written before. Other problems with the name show
// when the file is written.
bool is_later(const fs::path& path, std::uint64_t time) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return false;
  return !S_ISREG(status.st_mode) || nanoseconds(status.st_mtim) > time;
}

bool is_gone(const fs::path& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) != 0 && errno == ENOENT;
}

Error unreadable(const fs::path& path, std::string message) {
  return {ErrorCode::unreadable, std::move(message), path.string(), std::nullopt};
}

Error unreadable(const fs::path& path, int error) {
  return unreadable(path, std::system_category().message(error));
}

Expected<Recovery> remove_live_file(const fs::path& path, Recovery recovery) {
  // Another process may have recovered it at the same time.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    Error error = unreadable(path, errno);
    error.message = fmt::format("cannot be removed: {}", error.message);
    return error;
  }
  return recovery;
}

class LiveRecovery {
 public:
  LiveRecovery(const fs::path& path, const RecoveryContext& context)
      : path_(path), context_(context) {}

  Expected<Recovery> recover();

 private:
  // For an empty file, or one whose process was killed before it wrote anything.
  Expected<Recovery> take_blank() const;
  [[nodiscard]] bool is_meant(const LiveCounters& live) const;
  // Another user's counters are not turned into files of this user: they are not trusted.
  [[nodiscard]] Expected<void> check_owner() const;
  Expected<Recovery> remove(Recovery recovery) const;
  Expected<Recovery> convert(const LiveCounters& live);
  void complete(CollectedProfile& profile, const LiveCounters& live) const;
  // The gmon file's path. A name taken by a newer profile, or by a file that is not a profile, is
  // not used.
  [[nodiscard]] fs::path choose_path(const LiveCounters& live, Warnings& warnings) const;
  // The path for the name in the counters; the default one if no collector would give that name.
  [[nodiscard]] fs::path named_path(const LiveCounters& live, Warnings& warnings) const;
  [[nodiscard]] bool is_taken(const fs::path& profile, const LiveCounters& live) const;
  Expected<Recovered> write(const CollectedProfile& profile, const fs::path& directory) const;

  const fs::path& path_;
  const RecoveryContext& context_;
  std::uint64_t modified_ = 0;
  uid_t owner_ = 0;
};

Expected<Recovery> LiveRecovery::recover() {
  struct stat status = {};
  if (lstat(path_.c_str(), &status) != 0) return unreadable(path_, errno);
  if (!S_ISREG(status.st_mode)) return unreadable(path_, "live counters expected, no file found");
  const auto file = InputFile::open(path_);
  if (!file) return file.error();
  // Of the opened file, whatever has the name by now.
  if (fstat(file->descriptor(), &status) != 0) return unreadable(path_, errno);
  modified_ = nanoseconds(status.st_mtim);
  owner_ = status.st_uid;
  const auto start = file->read_at(0, std::min(header_bytes, file->size()));
  if (!start) return start.error();
  // The magic is written last: without it, the process was killed before it had counted anything.
  const auto magic = std::span(*start).first(std::min(magic_bytes, start->size()));
  if (std::ranges::all_of(magic, [](std::byte byte) { return byte == std::byte{0}; })) {
    return take_blank();
  }
  const auto header = read_live_counters(*start, path_.string());
  if (!header) return header.error();
  if (!is_meant(*header)) return Recovery{LeftAlone{}};
  const bool older = header->start_time < context_.started_since;
  if (process_runs(header->process, header->process_start)) {
    if (older) return Recovery{LeftAlone{}};
    return Recovery{StillRunning{header->process}};
  }
  if (header->state == LiveState::written) return remove(Removed{true});
  if (older) return Recovery{LeftAlone{}};
  if (auto own = check_owner(); !own) return own.error();
  const auto live = read_live_counters_file(*file);
  if (!live) return live.error();
  return convert(*live);
}

Expected<Recovery> LiveRecovery::take_blank() const {
  const std::uint32_t process = live_file_process(path_.filename().native());
  const bool meant = context_.known_process == 0 || context_.known_process == process;
  if (!meant) return Recovery{LeftAlone{}};
  if (process_runs(process, 0)) return Recovery{StillRunning{process}};
  if (modified_ < context_.started_since) return Recovery{LeftAlone{}};
  return remove(Removed{false});
}

Expected<void> LiveRecovery::check_owner() const {
  if (owner_ == geteuid()) return {};
  return unreadable(path_, fmt::format("it belongs to another user (number {}), who alone can "
                                       "recover it; left alone",
                                       owner_));
}

Expected<Recovery> LiveRecovery::remove(Recovery recovery) const {
  if (auto own = check_owner(); !own) return own.error();
  return remove_live_file(path_, std::move(recovery));
}

bool LiveRecovery::is_meant(const LiveCounters& live) const {
  const std::uint32_t known = context_.known_process;
  if (known == 0 || live.process == known || live.recorded_process == known) return true;
  // Its environment was cleared.
  return live.recorded_process == 0 && live.parent_process == known;
}

Expected<Recovery> LiveRecovery::convert(const LiveCounters& live) {
  const bool nothing = live.calls.empty() && live.samples.empty() && live.block_counts.empty();
  if (nothing && live.modules.empty() && live.warnings.empty()) {
    return remove(Removed{false});
  }
  ModuleSymbols symbols(live.modules);
  const NamesLock lock(path_.parent_path());
  Warnings warnings = live.warnings;
  const fs::path target = choose_path(live, warnings);
  CollectRequest request;
  request.file_name = target.filename().string();
  const bool known = context_.known_process != 0 && context_.known_process == live.process;
  request.end_time = known ? context_.end_time : std::max(modified_, live.start_time);
  request.via_name = [&symbols](const std::string& module, Address address) {
    return symbols.name_at(module, address);
  };
  auto profile = collect_profile(live, request);
  if (!profile) {
    Error error = profile.error();
    if (error.path.empty()) error.path = path_.string();
    return error;
  }
  complete(*profile, live);
  auto recovered = write(*profile, target.parent_path());
  if (!recovered) return recovered.error();
  recovered->warnings = std::move(warnings);
  recovered->warnings.insert(recovered->warnings.end(), profile->warnings.begin(),
                             profile->warnings.end());
  return remove(*std::move(recovered));
}

void LiveRecovery::complete(CollectedProfile& profile, const LiveCounters& live) const {
  SidecarProcess& process = profile.sidecar.process;
  if (context_.known_process == 0 || context_.known_process != live.process) {
    // It continued after that, and how it ended is unknown.
    if (process.ending == Ending::dumped) process.ending = Ending::unknown;
    return;
  }
  if (context_.killed) {
    process.ending = Ending::killed;
  } else if (process.ending == Ending::unknown || process.ending == Ending::dumped) {
    process.ending = Ending::exit_now;
  }
  process.exit_status = context_.number;
}

fs::path LiveRecovery::named_path(const LiveCounters& live, Warnings& warnings) const {
  const fs::path directory = path_.parent_path();
  const fs::path named = live.name;
  const std::string name = named.filename().string();
  if (!is_collected_name(name, live.process)) {
    warnings.push_back(unreadable(
        path_, fmt::format("names its profile {}, as the collector names none; {} is taken instead",
                           live.name.empty() ? "not at all" : live.name, usual_name)));
    return directory / usual_name;
  }
  const std::string prefix = context_.trusted_prefix + ".";
  const bool is_trusted = prefix.size() > 1 && live.name.starts_with(prefix) &&
                          live.name.find('/', prefix.size()) == std::string::npos;
  return is_trusted ? directory / named : directory / name;
}

fs::path LiveRecovery::choose_path(const LiveCounters& live, Warnings& warnings) const {
  const fs::path wanted = named_path(live, warnings);
  fs::path candidate = wanted;
  std::string with_process = wanted.filename().string();
  if (with_process == usual_name) with_process += fmt::format(".{}", live.process);
  for (unsigned number = 1; is_taken(candidate, live); ++number) {
    candidate = wanted.parent_path() /
                (number == 1 ? with_process : fmt::format("{}.{}", with_process, number));
  }
  for (const fs::path& path : {wanted, sidecar_path(wanted)}) {
    const bool is_profile = path == wanted ? !is_foreign(path) : !is_foreign_sidecar(path);
    if (!is_profile) warnings.push_back(unreadable(path, "is not a profile, and is not replaced"));
  }
  return candidate;
}

// The collector's own rules: docs/gmon-format.md, "Names".
bool LiveRecovery::is_taken(const fs::path& profile, const LiveCounters& live) const {
  if (is_foreign(profile) || is_foreign_sidecar(sidecar_path(profile))) return true;
  if (const auto sidecar = read_sidecar_file(sidecar_path(profile)); sidecar) {
    const SidecarProcess& writer = sidecar->process;
    // What the process itself wrote before its end is replaced.
    if (writer.process == live.process && writer.start_time == live.start_time) return false;
    const bool may_go_on = writer.ending == Ending::dumped || writer.ending == Ending::executed;
    if (may_go_on && process_runs(writer.process, writer.process_start)) return true;
    if (writer.end_time > live.start_time) return true;
  }
  return is_later(profile, live.start_time) || is_later(sidecar_path(profile), live.start_time);
}

// The executable's file last: once it exists, all files do.
Expected<Recovered> LiveRecovery::write(const CollectedProfile& profile,
                                        const fs::path& directory) const {
  Recovered recovered;
  const SidecarProcess& process = profile.sidecar.process;
  recovered.process = process.process;
  recovered.calls = process.calls;
  recovered.samples = process.samples;
  std::vector<std::pair<fs::path, std::vector<std::byte>>> files;
  for (const ModuleProfile& module : profile.modules) {
    auto bytes = write_gmon(module.profile, {});
    if (!bytes) return bytes.error();
    // A soname is free text and must not lead elsewhere.
    std::string suffix = module.file_suffix;
    std::ranges::replace(suffix, '/', '_');
    const fs::path path = directory / (profile.file_name + suffix);
    if (module.file_suffix.empty()) {
      recovered.profile = path;
    } else {
      if (is_foreign(path))
        return unreadable(path, "is not a profile, and is not replaced; move it away");
      recovered.libraries.push_back(path);
    }
    files.emplace_back(path, *std::move(bytes));
  }
  auto sidecar = write_sidecar(profile.sidecar);
  if (!sidecar) return sidecar.error();
  files.emplace_back(directory / (profile.file_name + ".gpx"), *std::move(sidecar));
  // Not the one of std::ranges, which clang 14 cannot compile.
  std::stable_partition(files.begin(), files.end(),
                        [&](const auto& file) { return file.first != recovered.profile; });
  for (const auto& [path, bytes] : files) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (auto written = write_whole_file(path, text); !written) return written.error();
  }
  return recovered;
}

}  // namespace

Expected<Recovery> recover_live_file(const fs::path& path, const RecoveryContext& context) {
  // Sizes in a damaged file are bounded by the file's size, which may still exceed memory.
  try {
    auto recovery = LiveRecovery(path, context).recover();
    // Its process has exited normally meanwhile, or another process has recovered it.
    if (!recovery && is_gone(path)) return Recovery{LeftAlone{}};
    return recovery;
  } catch (const std::bad_alloc&) {
    return unreadable(path, "there is not enough memory to read it");
  }
}

}  // namespace gprof::lsp
