#include "server/system/cache_directory.h"

#include <cstdlib>

namespace gprof::lsp {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::optional<std::filesystem::path> cache_directory(std::string_view name) {
  auto directory = user_directory(environment("XDG_CACHE_HOME"), environment("HOME"), ".cache");
  if (directory) *directory /= std::filesystem::path("gprof-lsp") / name;
  return directory;
}

}  // namespace

std::optional<std::filesystem::path> user_directory(std::string_view setting, std::string_view home,
                                                    std::string_view below_home) {
  const std::filesystem::path given = setting;
  if (given.is_absolute()) return given;
  const std::filesystem::path home_path = home;
  if (!home_path.is_absolute()) return std::nullopt;
  return home_path / below_home;
}

std::optional<std::filesystem::path> line_cache_directory() { return cache_directory("lines"); }

std::optional<std::filesystem::path> snapshot_file_directory() {
  return cache_directory("indexes");
}

std::optional<std::filesystem::path> kept_executables_directory() {
  return cache_directory("executables");
}

std::optional<std::filesystem::path> report_file_directory() { return cache_directory("reports"); }

std::optional<std::filesystem::path> known_builds_directory() { return cache_directory("builds"); }

}  // namespace gprof::lsp
