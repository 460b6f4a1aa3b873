#include "engine/object/debug_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>

#include "engine/support/hexadecimal.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

constexpr std::uint64_t checksum_chunk = std::uint64_t{1} << 20;

Expected<std::uint32_t> checksum(const std::filesystem::path& path) {
  TRY_ASSIGN(const auto file, InputFile::open(path));
  if (file.size() > largest_checksummed_file) {
    return Error{
        ErrorCode::unsupported,
        fmt::format("a debug file of at most {} bytes expected where a checksum has to tell "
                    "whose it is, {} found; link the program with --build-id",
                    largest_checksummed_file, file.size()),
        file.path(), std::nullopt};
  }
  uLong crc = ::crc32(0, nullptr, 0);
  for (std::uint64_t offset = 0; offset < file.size(); offset += checksum_chunk) {
    TRY_ASSIGN(const auto chunk,
               file.read_at(offset, std::min(checksum_chunk, file.size() - offset)));
    crc =
        ::crc32(crc, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size()));
  }
  return static_cast<std::uint32_t>(crc);
}

Error mismatch(const std::filesystem::path& candidate, const Image& image, std::string_view what) {
  return Error{ErrorCode::mismatch,
               fmt::format("not the debug file of {}: {}; install the one of the same build",
                           image.path(), what),
               candidate.string(), std::nullopt};
}

bool same_build_id(const Image& a, const Image& b) {
  return std::ranges::equal(a.build_id(), b.build_id());
}

class Search {
 public:
  Search(const Image& image, const DebugFileSearch& search, Warnings& warnings)
      : image_(image), search_(search), warnings_(warnings) {}

  std::shared_ptr<const Image> by_build_id() {
    const std::string id = hexadecimal(image_.build_id());
    if (id.size() < 4) return nullptr;
    for (const auto& directory : search_.global_directories) {
      const auto candidate = directory / ".build-id" / id.substr(0, 2) / (id.substr(2) + ".debug");
      auto found = open_candidate(candidate);
      if (found == nullptr) continue;
      if (same_build_id(*found, image_)) return found;
      warnings_.push_back(mismatch(
          candidate, image_,
          fmt::format("build-id {} expected, {} found", id, hexadecimal(found->build_id()))));
    }
    return nullptr;
  }

  std::shared_ptr<const Image> by_debug_link() {
    const auto link = image_.debug_link();
    // A link names a file, never a path.
    if (!link || link->file_name.find('/') != std::string::npos || link->file_name == ".." ||
        link->file_name == ".") {
      return nullptr;
    }
    for (const auto& candidate : link_candidates(link->file_name)) {
      auto found = open_candidate(candidate);
      if (found != nullptr && matches(*found, candidate, *link)) return found;
    }
    return nullptr;
  }

 private:
  // Null if there is no such file; a file that cannot be used is named in the warnings.
  std::shared_ptr<const Image> open_candidate(const std::filesystem::path& candidate) {
    auto opened = Image::open(candidate);
    if (opened) return *std::move(opened);
    if (opened.error().code != ErrorCode::not_found) warnings_.push_back(opened.error());
    return nullptr;
  }

  [[nodiscard]] std::vector<std::filesystem::path> link_candidates(
      const std::string& file_name) const {
    std::error_code failed;
    auto program = std::filesystem::weakly_canonical(image_.path(), failed);
    if (failed) program = image_.path();
    const std::filesystem::path directory = program.parent_path();
    std::vector<std::filesystem::path> candidates = {directory / file_name,
                                                     directory / ".debug" / file_name};
    for (const auto& global : search_.global_directories) {
      candidates.push_back(global / directory.relative_path() / file_name);
    }
    std::erase(candidates, program);  // a program is not its own separate debug file
    return candidates;
  }

  // By build-id if both have one: a checksum would read all of a large file.
  bool matches(const Image& found, const std::filesystem::path& candidate, const DebugLink& link) {
    if (!found.build_id().empty() && !image_.build_id().empty()) {
      if (same_build_id(found, image_)) return true;
      warnings_.push_back(
          mismatch(candidate, image_,
                   fmt::format("build-id {} expected, {} found", hexadecimal(image_.build_id()),
                               hexadecimal(found.build_id()))));
      return false;
    }
    const auto crc = checksum(candidate);
    if (!crc) {
      warnings_.push_back(crc.error());
      return false;
    }
    if (*crc == link.crc) return true;
    warnings_.push_back(mismatch(
        candidate, image_, fmt::format("checksum {:08x} expected, {:08x} found", link.crc, *crc)));
    return false;
  }

  const Image& image_;
  const DebugFileSearch& search_;
  Warnings& warnings_;
};

}  // namespace

std::shared_ptr<const Image> find_debug_file(const Image& image, const DebugFileSearch& search,
                                             Warnings& warnings) {
  Search places(image, search, warnings);
  if (auto found = places.by_build_id()) return found;
  return places.by_debug_link();
}

}  // namespace gprof
