#include "engine/report/source_lookup.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "engine/support/input_file.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {
namespace {

std::vector<std::string> places_of(const std::string& path,
                                   std::span<const std::string> directories) {
  std::vector<std::string> places = {path};
  if (!path.starts_with('/')) {
    for (const std::string& directory : directories) places.push_back(directory + '/' + path);
  }
  for (const std::string& directory : directories) {
    places.push_back(fmt::format("{}/{}", directory, base_name_of(path)));
  }
  return places;
}

Expected<std::string> read_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return std::string();
  TRY_ASSIGN(auto file, InputFile::open(path));
  if (file.size() > largest_source_file) {
    return Error{ErrorCode::unsupported,
                 fmt::format("the source is too large to be annotated ({} bytes; {} at most)",
                             file.size(), largest_source_file),
                 path, std::nullopt};
  }
  TRY_ASSIGN(auto bytes, file.read_all());
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

Expected<std::string> read_source(const std::string& path, std::span<const std::string> directories,
                                  const Bounds& bounds) {
  for (const std::string& place : places_of(path, directories)) {
    if (!is_within(bounds, place)) return bounds->refusal(place);
    auto text = read_text(place);
    if (text || text.error().code == ErrorCode::unsupported) return text;
  }
  return Error{ErrorCode::not_found,
               "cannot find this source; -I names directories in which to look for it", path,
               std::nullopt};
}

}  // namespace gprof
