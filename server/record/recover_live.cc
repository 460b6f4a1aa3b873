#include "server/record/recover_live.h"

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
#include "server/files/new_file.h"
#include "server/programs/live_files.h"
#include "server/record/record_files.h"
#include "server/record/recover_symbols.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view usual_name = "gmon.out";
constexpr std::uint64_t header_bytes = 4096;
// Of the magic that the file begins with.
constexpr std::size_t magic_bytes = 8;

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Whether the name is something else's than a file's that was written before. What else is wrong
// with the name shows when the file is written.
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
  // Somebody else may have recovered it at the same time.
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
  // Of an empty file, or one whose process was killed before it wrote anything.
  Expected<Recovery> take_blank() const;
  [[nodiscard]] bool is_meant(const LiveCounters& live) const;
  Expected<Recovery> convert(const LiveCounters& live);
  void complete(CollectedProfile& profile, const LiveCounters& live) const;
  // The gmon file's path; a name that a newer profile has is left to that.
  [[nodiscard]] fs::path choose_path(const LiveCounters& live) const;
  [[nodiscard]] bool is_taken(const fs::path& profile, const LiveCounters& live) const;
  Expected<Recovered> write(const CollectedProfile& profile, const fs::path& directory) const;

  const fs::path& path_;
  const RecoveryContext& context_;
  std::uint64_t modified_ = 0;
};

Expected<Recovery> LiveRecovery::recover() {
  struct stat status = {};
  if (lstat(path_.c_str(), &status) != 0) return unreadable(path_, errno);
  if (!S_ISREG(status.st_mode)) return unreadable(path_, "live counters expected, no file found");
  modified_ = nanoseconds(status.st_mtim);
  const auto file = InputFile::open(path_);
  if (!file) return file.error();
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
  if (header->state == LiveState::written) return remove_live_file(path_, Removed{true});
  if (older) return Recovery{LeftAlone{}};
  const auto live = read_live_counters_file(path_);
  if (!live) return live.error();
  return convert(*live);
}

Expected<Recovery> LiveRecovery::take_blank() const {
  const std::uint32_t process = live_file_process(path_.filename().native());
  const bool meant = context_.known_process == 0 || context_.known_process == process;
  if (!meant) return Recovery{LeftAlone{}};
  if (process_runs(process, 0)) return Recovery{StillRunning{process}};
  if (modified_ < context_.started_since) return Recovery{LeftAlone{}};
  return remove_live_file(path_, Removed{false});
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
    return remove_live_file(path_, Removed{false});
  }
  ModuleSymbols symbols(live.modules);
  const NamesLock lock(path_.parent_path());
  const fs::path target = choose_path(live);
  CollectRequest request;
  request.file_name = target.filename().string();
  const bool known = context_.known_process != 0 && context_.known_process == live.process;
  request.end_time = known ? context_.end_time : std::max(modified_, live.start_time);
  request.through_name = [&symbols](const std::string& module, Address address) {
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
  recovered->warnings = live.warnings;
  recovered->warnings.insert(recovered->warnings.end(), profile->warnings.begin(),
                             profile->warnings.end());
  return remove_live_file(path_, *std::move(recovered));
}

void LiveRecovery::complete(CollectedProfile& profile, const LiveCounters& live) const {
  SidecarProcess& process = profile.sidecar.process;
  if (context_.known_process == 0 || context_.known_process != live.process) {
    // It went on after that, and nobody saw how it ended.
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

fs::path LiveRecovery::choose_path(const LiveCounters& live) const {
  fs::path directory = path_.parent_path();
  fs::path name = live.name;
  const bool trusted =
      !context_.trusted_prefix.empty() && live.name.starts_with(context_.trusted_prefix + ".");
  if (trusted && name.has_parent_path()) directory = directory / name.parent_path();
  name = name.filename();
  if (name.empty() || name == "." || name == "..") name = usual_name;
  if (!is_taken(directory / name, live)) return directory / name;
  const std::string with_process = fmt::format("{}.{}", name.string(), live.process);
  fs::path candidate = directory / with_process;
  for (unsigned number = 2; is_taken(candidate, live); ++number) {
    candidate = directory / fmt::format("{}.{}", with_process, number);
  }
  return candidate;
}

// The collector's own rules: docs/gmon-format.md, "Names".
bool LiveRecovery::is_taken(const fs::path& profile, const LiveCounters& live) const {
  fs::path sidecar_path = profile;
  sidecar_path += ".gpx";
  if (const auto sidecar = read_sidecar_file(sidecar_path); sidecar) {
    const SidecarProcess& writer = sidecar->process;
    // What the process itself wrote before its end is superseded.
    if (writer.process == live.process && writer.start_time == live.start_time) return false;
    const bool may_go_on = writer.ending == Ending::dumped || writer.ending == Ending::executed;
    if (may_go_on && process_runs(writer.process, writer.process_start)) return true;
    if (writer.end_time > live.start_time) return true;
  }
  return is_later(profile, live.start_time) || is_later(sidecar_path, live.start_time);
}

// The executable's file last: who sees that sees all.
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
    // A soname is free text; nothing of it shall lead elsewhere.
    std::string suffix = module.file_suffix;
    std::ranges::replace(suffix, '/', '_');
    const fs::path path = directory / (profile.file_name + suffix);
    if (module.file_suffix.empty()) {
      recovered.profile = path;
    } else {
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
  // The sizes of a damaged file are bounded by the file's, which may yet be more than there is.
  try {
    auto recovery = LiveRecovery(path, context).recover();
    // Its process has ended in order meanwhile, or somebody else has recovered it.
    if (!recovery && is_gone(path)) return Recovery{LeftAlone{}};
    return recovery;
  } catch (const std::bad_alloc&) {
    return unreadable(path, "there is not enough memory to read it");
  }
}

}  // namespace gprof::lsp
