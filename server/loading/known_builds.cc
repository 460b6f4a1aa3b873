#include "server/loading/known_builds.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/support/digest.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/input_file.h"

namespace gprof::lsp {
namespace {

constexpr std::uint64_t most_bytes_of_a_build = 256;
constexpr std::size_t most_builds = 8192;

// Of the profile in its present state; none if it is not there.
std::optional<std::string> state_key(const std::string& profile) {
  const auto stamp = file_stamp(profile);
  if (!stamp) return std::nullopt;
  return fmt::format("{}|{}|{}", profile, stamp->size, stamp->modified);
}

// Empty if it cannot be read any more.
std::string build_of(const Program& program) {
  const std::string& id = program.identity().build_id_hex;
  if (!id.empty()) return "build-id " + id;
  const auto file = InputFile::open(program.identity().path);
  if (!file || file->stamp() != program.identity().stamp) return "";
  const auto digest = md5(*file);
  return digest ? "digest " + hexadecimal(*digest) : "";
}

std::string noted_build(const CacheFolder& folder, const std::string& key) {
  const auto path = folder.find(key);
  const auto file = path ? InputFile::open(*path, FileUse::own) : Expected<InputFile>(Error());
  if (!file || file->size() > most_bytes_of_a_build) return "";
  const auto bytes = file->read_all();
  if (!bytes) return "";
  CacheFolder::note_use(*path);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

}  // namespace

KnownBuilds::KnownBuilds(const std::filesystem::path& directory)
    : folder_(directory, ".build", {most_builds * most_bytes_of_a_build, most_builds}) {}

void KnownBuilds::note(const Snapshot& snapshot) {
  std::string build;
  for (const std::string& profile : snapshot.profile_paths()) {
    const auto key = state_key(profile);
    if (!key || !noted_build(folder_, *key).empty()) continue;
    if (build.empty()) build = build_of(*snapshot.program());
    if (build.empty()) return;
    // What cannot be kept is not known later.
    (void)folder_.put(*key, [&](int descriptor) { return write_all(descriptor, build); });
  }
}

bool KnownBuilds::has_written(const Snapshot& snapshot) const {
  const std::string build = build_of(*snapshot.program());
  return !build.empty() &&
         std::ranges::all_of(snapshot.profile_paths(), [&](const std::string& profile) {
           const auto key = state_key(profile);
           return key && noted_build(folder_, *key) == build;
         });
}

}  // namespace gprof::lsp
