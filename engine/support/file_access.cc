#include "engine/support/file_access.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gprof {
namespace {

Bounds& confinement() {
  static Bounds folders;
  return folders;
}

}  // namespace

void confine_files(Bounds folders) { confinement() = std::move(folders); }

const Bounds& file_confinement() { return confinement(); }

Expected<void> check_file_access(const std::filesystem::path& path, FileUse use) {
  const Bounds& folders = file_confinement();
  if (use != FileUse::named || is_within(folders, path)) return {};
  return folders->refusal(path);
}

Expected<void> check_open_file(int descriptor, const std::filesystem::path& path, FileUse use) {
  const Bounds& folders = file_confinement();
  if (use != FileUse::named || folders == nullptr) return {};
  std::error_code failed;
  const auto place =
      std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), failed);
  // Without /proc the check of the path has to do.
  if (failed || folders->contains(place)) return {};
  return folders->refusal(path);
}

}  // namespace gprof
