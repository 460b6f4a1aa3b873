#include "engine/object/debug_file.h"

#include <algorithm>

#include <elf.h>
#include <fmt/format.h>
#include <zlib.h>

#include "engine/object/raw_symbols.h"
#include "engine/support/hexadecimal.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

constexpr std::uint64_t checksum_chunk = std::uint64_t{1} << 20;

Expected<std::uint32_t> checksum(const std::filesystem::path& path, FileUse use) {
  TRY_ASSIGN(const auto file, InputFile::open(path, use));
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

bool has_symbols(const Image& image) {
  const Section* table = find_symbol_section(image, SHT_SYMTAB);
  return table != nullptr && table->size > table->entry_size;
}

// What .gnu_debugdata holds are symbols.
bool has_what_is_needed(const Image& image, DebugFileUse use) {
  if (use == DebugFileUse::lines) return has_lines(image);
  return has_symbols(image) || image.find_section(".gnu_debugdata") != nullptr;
}

// Profiles name builds by any text, which must not lead out of the directory.
bool is_build_id(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdefABCDEF";
  return text.size() >= 4 && text.find_first_not_of(digits) == std::string_view::npos;
}

// Below a directory of debug files, without an ending.
std::optional<std::filesystem::path> place_of_build(const std::filesystem::path& directory,
                                                    const std::string& build_id) {
  if (!is_build_id(build_id)) return std::nullopt;
  return directory / ".build-id" / build_id.substr(0, 2) / build_id.substr(2);
}

// The files of a build in the caches, best first.
std::vector<std::filesystem::path> cached_files(const DebugFileSearch& search,
                                                const std::string& build_id) {
  std::vector<std::filesystem::path> files;
  for (const auto& directory : search.perf_caches) {
    const auto place = place_of_build(directory, build_id);
    if (!place) continue;
    for (const char* name : {"debug", "elf", "vdso"}) files.push_back(*place / name);
    files.push_back(*place);
  }
  for (const auto& directory : search.download_caches) {
    if (!is_build_id(build_id)) continue;
    for (const char* name : {"debuginfo", "executable"}) {
      files.push_back(directory / build_id / name);
    }
  }
  return files;
}

// Directories of debug files above a program that was stripped to be packaged: rpm's tools leave
// them in the root that it is staged in, Debian's next to the roots, in debian/.
std::vector<std::filesystem::path> staged_directories(const std::filesystem::path& program) {
  const std::filesystem::path debug = "usr/lib/debug";
  std::vector<std::filesystem::path> found;
  for (auto root = program.parent_path(); root.has_relative_path(); root = root.parent_path()) {
    // The folders above a program may be out of reach.
    if (!check_file_access(root)) break;
    std::error_code failed;
    if (is_directory(root / debug / ".build-id", failed)) found.push_back(root / debug);
    if (root.filename() != "debian") continue;
    std::filesystem::directory_iterator package(root / ".debhelper", failed);
    for (; !failed && package != std::filesystem::directory_iterator(); package.increment(failed)) {
      auto staged = package->path() / "dbgsym-root" / debug;
      std::error_code missing;
      if (is_directory(staged, missing)) found.push_back(std::move(staged));
    }
  }
  return found;
}

// Null if it is no ELF file of that build. A client of debuginfod keeps empty files for what no
// server has, and what is in a cache is nobody's promise: neither is told of.
std::shared_ptr<const Image> open_of_build(const std::filesystem::path& path,
                                           const std::string& build_id, FileUse use) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return nullptr;
  auto opened = Image::open(path, use);
  if (!opened || hexadecimal((*opened)->build_id()) != build_id) return nullptr;
  return *std::move(opened);
}

class Search {
 public:
  Search(const Image& image, const DebugFileSearch& search, Warnings& warnings)
      : image_(image), search_(search), warnings_(warnings) {}

  std::shared_ptr<const Image> by_build_id() {
    const std::string id = hexadecimal(image_.build_id());
    for (const auto& directory : search_.global_directories) {
      auto candidate = place_of_build(directory, id);
      if (!candidate) continue;
      *candidate += ".debug";
      auto found = open_candidate(*candidate, FileUse::debug_file);
      if (found == nullptr) continue;
      if (same_build_id(*found, image_)) return found;
      warnings_.push_back(mismatch(
          *candidate, image_,
          fmt::format("build-id {} expected, {} found", id, hexadecimal(found->build_id()))));
    }
    return nullptr;
  }

  // Only where the image lacks what is needed: others are not worth looks at all folders above.
  std::shared_ptr<const Image> where_staged() {
    const std::string id = hexadecimal(image_.build_id());
    if (id.empty()) return nullptr;
    std::error_code failed;
    const auto program = std::filesystem::absolute(image_.path(), failed);
    for (const auto& directory : staged_directories(program)) {
      const auto place = place_of_build(directory, id);
      if (!place) continue;
      if (auto found = open_of_build(place->string() + ".debug", id, FileUse::named)) return found;
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
    for (const auto& [candidate, use] : link_candidates(link->file_name)) {
      auto found = open_candidate(candidate, use);
      if (found != nullptr && matches(*found, candidate, use, *link)) return found;
    }
    return nullptr;
  }

  // Of the caches, which also hold the program as it is.
  std::shared_ptr<const Image> in_caches(DebugFileUse use) {
    const std::string id = hexadecimal(image_.build_id());
    for (const auto& candidate : cached_files(search_, id)) {
      auto found = open_of_build(candidate, id, FileUse::debug_file);
      if (found != nullptr && has_what_is_needed(*found, use)) return found;
    }
    return nullptr;
  }

  std::shared_ptr<const Image> from_source() {
    if (search_.source == nullptr || image_.build_id().empty()) return nullptr;
    const auto fetched = search_.source->fetch(hexadecimal(image_.build_id()), image_.path());
    auto found = fetched ? open_candidate(*fetched, FileUse::debug_file) : nullptr;
    if (found == nullptr || same_build_id(*found, image_)) return found;
    warnings_.push_back(
        mismatch(*fetched, image_,
                 fmt::format("build-id {} expected, {} found", hexadecimal(image_.build_id()),
                             hexadecimal(found->build_id()))));
    return nullptr;
  }

 private:
  // Null if there is no such file; a file that cannot be used is named in the warnings.
  std::shared_ptr<const Image> open_candidate(const std::filesystem::path& candidate, FileUse use) {
    auto opened = Image::open(candidate, use);
    if (opened) return *std::move(opened);
    if (opened.error().code != ErrorCode::not_found) warnings_.push_back(opened.error());
    return nullptr;
  }

  struct Candidate {
    std::filesystem::path path;
    FileUse use = FileUse::named;
  };
  [[nodiscard]] std::vector<Candidate> link_candidates(const std::string& file_name) const {
    std::error_code failed;
    auto program = std::filesystem::weakly_canonical(image_.path(), failed);
    if (failed) program = image_.path();
    const std::filesystem::path directory = program.parent_path();
    std::vector<Candidate> candidates = {{directory / file_name},
                                         {directory / ".debug" / file_name}};
    for (const auto& global : search_.global_directories) {
      candidates.push_back({global / directory.relative_path() / file_name, FileUse::debug_file});
    }
    // A program is not its own separate debug file.
    std::erase_if(candidates, [&](const Candidate& one) { return one.path == program; });
    return candidates;
  }

  // By build-id if both have one: a checksum would read all of a large file.
  bool matches(const Image& found, const std::filesystem::path& candidate, FileUse use,
               const DebugLink& link) {
    if (!found.build_id().empty() && !image_.build_id().empty()) {
      if (same_build_id(found, image_)) return true;
      warnings_.push_back(
          mismatch(candidate, image_,
                   fmt::format("build-id {} expected, {} found", hexadecimal(image_.build_id()),
                               hexadecimal(found.build_id()))));
      return false;
    }
    const auto crc = checksum(candidate, use);
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

bool has_lines(const Image& image) {
  for (const std::string_view name : {".debug_info", ".zdebug_info"}) {
    const Section* section = image.find_section(name);
    if (section != nullptr && section->type != SHT_NOBITS) return true;
  }
  return false;
}

DebugFileSearch DebugFileSearch::on_disk() const {
  DebugFileSearch search = *this;
  search.source = nullptr;
  return search;
}

std::shared_ptr<const Image> find_debug_file(const Image& image, const DebugFileSearch& search,
                                             Warnings& warnings, DebugFileUse use) {
  Search places(image, search, warnings);
  if (auto found = places.by_build_id()) return found;
  if (auto found = places.by_debug_link()) return found;
  if (has_what_is_needed(image, use)) return nullptr;
  if (auto found = places.where_staged()) return found;
  if (auto found = places.in_caches(use)) return found;
  return places.from_source();
}

std::vector<std::filesystem::path> places_of_build(const std::string& build_id_hex,
                                                   const DebugFileSearch& search) {
  auto places = cached_files(search, build_id_hex);
  for (const auto& directory : search.global_directories) {
    const auto place = place_of_build(directory, build_id_hex);
    if (place) places.emplace_back(place->string() + ".debug");
  }
  return places;
}

std::shared_ptr<const Image> find_image_of_build(const std::string& build_id_hex,
                                                 const std::string& path,
                                                 const DebugFileSearch& search) {
  std::shared_ptr<const Image> exports_alone;
  for (const auto& candidate : places_of_build(build_id_hex, search)) {
    auto found = open_of_build(candidate, build_id_hex, FileUse::debug_file);
    if (found == nullptr) continue;
    if (has_what_is_needed(*found, DebugFileUse::names)) return found;
    if (exports_alone == nullptr) exports_alone = std::move(found);
  }
  // A file that is gone, not one that never was.
  if (search.source == nullptr || !is_build_id(build_id_hex) || !path.starts_with('/')) {
    return exports_alone;
  }
  const auto fetched = search.source->fetch(build_id_hex, path);
  auto found = fetched ? open_of_build(*fetched, build_id_hex, FileUse::debug_file) : nullptr;
  return found != nullptr ? found : exports_alone;
}

}  // namespace gprof
