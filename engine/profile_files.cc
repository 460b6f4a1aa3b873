#include "engine/profile_files.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/collection.h"
#include "engine/gmon/collected_profile.h"
#include "engine/gmon/live_reader.h"
#include "engine/gmon/reader.h"

namespace gprof {
namespace {

constexpr std::size_t longest_magic = 64;

bool is_the_program(const SidecarModule& module, const ProgramIdentity& program) {
  if (!module.build_id.empty() && !program.build_id_hex.empty() &&
      module.build_id == program.build_id_hex) {
    return true;
  }
  std::error_code ignored;
  return module.path == program.path ||
         (!module.path.empty() && std::filesystem::equivalent(module.path, program.path, ignored));
}

Error of_another_program(const CollectedProfile& collected, const std::string& path,
                         const Program& program) {
  return Error{ErrorCode::mismatch,
               fmt::format("holds the counts of {}, which {} took no part in; name the executable "
                           "that is running",
                           collected.sidecar.modules.front().path, program.image().path()),
               path, std::nullopt};
}

}  // namespace

Expected<ProfileFile> profile_of_live(const LiveCounters& live, const std::string& path,
                                      const Program& program, Warnings& warnings) {
  auto collected = collect_profile(live, {});
  if (!collected) {
    Error error = std::move(collected).error();
    if (error.path.empty()) error.path = path;
    return error;
  }
  const std::vector<SidecarModule>& modules = collected->sidecar.modules;
  const auto found = std::find_if(
      collected->modules.begin(), collected->modules.end(),
      [&](const auto& file) { return is_the_program(modules[file.module], program.identity()); });
  if (found == collected->modules.end()) return of_another_program(*collected, path, program);
  ProfileFile profile;
  profile.own_modules.resize(modules.size());
  profile.own_modules[found->module] = true;
  profile.raw = std::move(found->profile);
  constexpr std::uint64_t latest = std::numeric_limits<FileTime>::max();
  profile.modified = static_cast<FileTime>(std::min(live.start_time, latest));
  profile.sidecar = std::move(collected->sidecar);
  for (const Warnings* more : {&live.warnings, &std::as_const(collected->warnings)}) {
    for (Error warning : *more) {
      if (warning.path.empty()) warning.path = path;
      warnings.push_back(std::move(warning));
    }
  }
  return profile;
}

Expected<ProfileFile> read_profile_file(const std::filesystem::path& path, const Program& program,
                                        Warnings& warnings) {
  auto file = InputFile::open(path);
  if (!file) return std::move(file).error();
  const auto start = file->read_at(0, std::min<std::uint64_t>(longest_magic, file->size()));
  if (!start) return start.error();
  const std::string_view magic(reinterpret_cast<const char*>(start->data()), start->size());
  if (magic.starts_with(live_format::magic)) {
    auto live = read_live_counters_file(path);
    if (!live) return std::move(live).error();
    return profile_of_live(*live, path.string(), program, warnings);
  }
  auto bytes = file->read_all();
  if (!bytes) return std::move(bytes).error();
  ProfileFile profile;
  profile.modified = file->modified();
  const Image& image = program.image();
  auto raw = read_gmon(*bytes, path.string(), {image.pointer_width(), image.byte_order()});
  if (!raw) return std::move(raw).error();
  profile.raw = std::move(*raw);
  profile.sidecar = sidecar_of(path.string(), profile.raw, warnings);
  if (profile.sidecar) profile.own_modules = modules_of_file(*profile.sidecar, path.string());
  return profile;
}

}  // namespace gprof
