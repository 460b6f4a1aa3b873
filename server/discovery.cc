#include "server/discovery.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <glob.h>

#include "engine/gmon/reader.h"
#include "engine/object/image.h"
#include "engine/object/symbol_table.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

struct FoundFile {
  fs::path path;
  FileTime modified = 0;
};

struct Candidates {
  std::vector<FoundFile> profiles;
  std::vector<FoundFile> executables;
  bool complete = true;
};

bool is_searched(const fs::path& directory) {
  const std::string name = directory.filename().string();
  return name != "node_modules" && !(name.size() > 1 && name.front() == '.');
}

bool starts_like_elf(const fs::path& path) {
  auto file = InputFile::open(path);
  if (!file || file->size() < 64) return false;
  const auto magic = file->read_at(0, 4);
  return magic && std::to_integer<int>((*magic)[0]) == 0x7f &&
         std::to_integer<char>((*magic)[1]) == 'E' && std::to_integer<char>((*magic)[2]) == 'L' &&
         std::to_integer<char>((*magic)[3]) == 'F';
}

FileTime modified(const fs::path& path) {
  auto file = InputFile::open(path);
  return file ? file->modified() : 0;
}

void consider(const fs::directory_entry& entry, Candidates& found) {
  std::error_code error;
  if (!entry.is_regular_file(error) || error) return;
  const fs::path& path = entry.path();
  if (is_profile_name(path.filename().string())) {
    found.profiles.push_back({path, modified(path)});
    return;
  }
  const auto permissions = entry.status(error).permissions();
  if (error || (permissions & fs::perms::owner_exec) == fs::perms::none) return;
  if (starts_like_elf(path)) found.executables.push_back({path, modified(path)});
}

void search(const fs::path& folder, const DiscoveryLimits& limits, Candidates& found) {
  std::error_code error;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++seen > limits.entries) {
      found.complete = false;
      return;
    }
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (!is_searched(entry->path()) || entry.depth() >= limits.depth) {
        entry.disable_recursion_pending();
      }
    } else {
      consider(*entry, found);
    }
  }
}

// How well an executable fits a profile; higher is better, 0 is not at all.
enum class Fit : std::uint8_t { none, overlaps, text_range, build_id };

bool starts_with(std::span<const std::byte> bytes, std::span<const std::byte> prefix) {
  return bytes.size() >= prefix.size() && std::ranges::equal(bytes.first(prefix.size()), prefix);
}

Fit fit_of(const Image& image, const GmonIdentity& profile) {
  if (!image.is_program()) return Fit::none;
  if (profile.build_id_prefix && !image.build_id().empty()) {
    return starts_with(image.build_id(), *profile.build_id_prefix) ? Fit::build_id : Fit::none;
  }
  if (image.pointer_width() != profile.layout.pointer_width ||
      image.byte_order() != profile.layout.byte_order) {
    return Fit::none;
  }
  const AddressRange code = image.code_range();
  if (!profile.histogram_range) return Fit::overlaps;
  const AddressRange sampled = *profile.histogram_range;
  if (intersect(code, sampled).empty()) return Fit::none;
  // glibc's collector samples from the start of the image to etext, rounded up: a few bytes behind
  // the last instruction.
  constexpr std::uint64_t rounding = 16;
  const bool same_end =
      sampled.high >= code.high - rounding && sampled.high <= code.high + rounding;
  return sampled.low <= code.low && same_end ? Fit::text_range : Fit::overlaps;
}

struct OpenedExecutable {
  FoundFile file;
  std::shared_ptr<const Image> image;
};

// The best fitting executable; among equals the newest that is not newer than the profile, else
// the newest.
const OpenedExecutable* best_executable(const std::vector<OpenedExecutable>& executables,
                                        const GmonIdentity& identity, FileTime profile_modified) {
  const OpenedExecutable* best = nullptr;
  auto rank = [&](const OpenedExecutable& e) {
    return std::tuple(fit_of(*e.image, identity), e.file.modified <= profile_modified,
                      e.file.modified);
  };
  for (const OpenedExecutable& executable : executables) {
    if (fit_of(*executable.image, identity) == Fit::none) continue;
    if (best == nullptr || rank(executable) > rank(*best)) best = &executable;
  }
  return best;
}

Expected<GmonIdentity> identify(const fs::path& path) {
  auto file = InputFile::open(path);
  if (!file) return std::move(file).error();
  auto bytes = file->read_all();
  if (!bytes) return std::move(bytes).error();
  return identify_gmon(*bytes, path.string());
}

void sort_newest_first(std::vector<FoundFile>& files) {
  std::sort(files.begin(), files.end(), [](const FoundFile& a, const FoundFile& b) {
    return std::tuple(b.modified, a.path) < std::tuple(a.modified, b.path);
  });
}

std::vector<OpenedExecutable> open_all(const std::vector<FoundFile>& files) {
  std::vector<OpenedExecutable> opened;
  for (const FoundFile& file : files) {
    if (auto image = Image::open(file.path)) opened.push_back({file, std::move(*image)});
  }
  return opened;
}

}  // namespace

bool is_profile_name(std::string_view name) {
  if (name == "gmon.out" || name == "gmon.sum") return true;
  constexpr std::string_view prefix = "gmon.out.";
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
  return std::ranges::all_of(name.substr(prefix.size()),
                             [](unsigned char c) { return std::isdigit(c) != 0; });
}

Discovery discover_programs(const std::vector<fs::path>& folders, const DiscoveryLimits& limits) {
  Candidates found;
  for (const fs::path& folder : folders) search(folder, limits, found);
  Discovery discovery;
  discovery.complete = found.complete;
  if (found.profiles.empty()) return discovery;
  sort_newest_first(found.profiles);
  const std::vector<OpenedExecutable> executables = open_all(found.executables);
  for (const FoundFile& profile : found.profiles) {
    auto identity = identify(profile.path);
    if (!identity) {
      discovery.warnings.push_back(std::move(identity).error());
      continue;
    }
    const OpenedExecutable* executable = best_executable(executables, *identity, profile.modified);
    if (executable == nullptr) {
      discovery.warnings.push_back(
          Error{ErrorCode::not_found,
                fmt::format("no executable of the workspace fits this profile ({} looked at): "
                            "name it in the setting gprof.programs",
                            executables.size()),
                profile.path.string(), std::nullopt});
      continue;
    }
    const bool known = std::ranges::any_of(discovery.programs, [&](const ProgramFiles& p) {
      return p.executable == executable->file.path;
    });
    if (!known) discovery.programs.push_back({executable->file.path, {profile.path}});
  }
  return discovery;
}

std::vector<fs::path> expand_glob(const std::string& pattern, const fs::path& folder) {
  const fs::path path = fs::path(pattern).is_absolute() ? fs::path(pattern) : folder / pattern;
  std::vector<fs::path> files;
  glob_t matches = {};
  // A pattern that matches nothing stands for itself, so that the message names what is missing.
  if (::glob(path.c_str(), GLOB_NOCHECK, nullptr, &matches) == 0) {
    for (std::size_t i = 0; i < matches.gl_pathc; ++i) files.emplace_back(matches.gl_pathv[i]);
  }
  ::globfree(&matches);
  return files;
}

}  // namespace gprof::lsp
