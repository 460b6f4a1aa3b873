#include "server/loading/kept_executables.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "engine/gmon/reader.h"
#include "engine/import/perf_data/perf_data.h"
#include "engine/object/image.h"
#include "engine/support/hexadecimal.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr const char* copy_ending = ".executable";
constexpr const char* use_ending = ".use";
constexpr const char* origin_ending = ".origin";
// Each is one line.
constexpr std::uint64_t most_origin_bytes = 64;
constexpr std::size_t most_origins = 8192;
// Read and written at a time.
constexpr std::uint64_t part_bytes = std::uint64_t{1} << 20;
// Digests that are remembered.
constexpr std::size_t most_known = 256;

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string text_in(const fs::path& path) {
  const auto file = InputFile::open(path, FileUse::own);
  if (!file || file->size() > most_origin_bytes) return "";
  const auto bytes = file->read_all();
  return bytes ? std::string(text_of(*bytes)) : "";
}

// Has its bytes, and its time: what was compiled into it is judged by that.
Expected<void> copy_executable(const InputFile& executable, int copy) {
  // Where the file system can, the copy shares the blocks until either file is written to.
  if (::ioctl(copy, FICLONE, executable.descriptor()) != 0) {
    for (std::uint64_t at = 0; at < executable.size(); at += part_bytes) {
      TRY_ASSIGN(const auto part,
                 executable.read_at(at, std::min(part_bytes, executable.size() - at)));
      TRY(write_all(copy, text_of(part)));
    }
  }
  if (executable.written_since()) {
    return Error{ErrorCode::stale, "is not kept: it was written meanwhile", executable.path(), {}};
  }
  constexpr FileTime second = 1'000'000'000;
  const timespec time = {executable.modified() / second, executable.modified() % second};
  const timespec times[] = {time, time};
  if (::futimens(copy, times) != 0) {
    return Error{ErrorCode::unreadable,
                 "the time of a copy cannot be set: " + std::generic_category().message(errno),
                 {},
                 {}};
  }
  return {};
}

// The beginning of a build-id that profiles say, in hexadecimal digits.
constexpr std::size_t digits_of_build = 16;

struct ProfileOrigin {
  std::string build;  // empty if the profile does not say it
  std::string key;
};

ProfileOrigin origin_of_build(const std::string& build) { return {build, "build-id " + build}; }

bool is_recording(const InputFile& file) {
  constexpr std::uint64_t magic_size = 8;
  if (file.size() < magic_size) return false;
  const auto start = file.read_at(0, magic_size);
  return start && perf_data::is_perf_data(text_of(*start));
}

// Of the program with most samples.
Expected<ProfileOrigin> origin_of_recording(const InputFile& file) {
  TRY_ASSIGN(auto bytes, perf_data::PerfBytes::with_streams(file));
  TRY_ASSIGN(const auto program, program_of_perf_data(std::move(bytes)));
  if (!program || program->build_id.size() < digits_of_build) {
    return Error{ErrorCode::no_profile_data, "does not say of which build it is", file.path(), {}};
  }
  return origin_of_build(program->build_id.substr(0, digits_of_build));
}

Expected<ProfileOrigin> origin_of(const fs::path& profile) {
  TRY_ASSIGN(const auto file, InputFile::open(profile));
  if (is_recording(file)) return origin_of_recording(file);
  TRY_ASSIGN(const auto identity, identify_gmon_file(file));
  if (identity.build_id_prefix) return origin_of_build(hexadecimal(*identity.build_id_prefix));
  TRY(check_gmon_size(file));
  TRY_ASSIGN(const auto digest, md5(file));
  return ProfileOrigin{"", "profile " + hexadecimal(digest)};
}

bool has_build(const Image& image, const std::string& build) {
  return hexadecimal(image.build_id()).starts_with(build);
}

}  // namespace

KeptExecutables::KeptExecutables(const fs::path& directory, const KeptExecutableLimits& limits)
    : directory_(directory),
      limits_(limits),
      copies_(directory, copy_ending, {limits.bytes, limits.entries}, use_ending),
      uses_(directory, use_ending, {most_origins * most_origin_bytes, most_origins}),
      origins_(directory, origin_ending, {most_origins * most_origin_bytes, most_origins}) {}

Expected<void> KeptExecutables::keep(const fs::path& executable, const fs::path& profile) {
  TRY_ASSIGN(const auto origin, origin_of(profile));
  if (copy_of(origin.key)) return {};
  TRY_ASSIGN(const auto image, Image::open(executable));
  if (!has_build(*image, origin.build)) return {};
  TRY_ASSIGN(const auto file, InputFile::open(executable));
  if (file.stamp() != image->stamp() || !has_room_for(file.size())) return {};
  TRY_ASSIGN(const auto digest, digest_of(file));
  const std::string copy_key = hexadecimal(digest);
  if (!whole_copy(copy_key)) {
    TRY(add_copy(file, copy_key));
  }
  return origins_.put(origin.key, [&](int descriptor) { return write_all(descriptor, copy_key); });
}

std::optional<fs::path> KeptExecutables::find(const fs::path& profile) {
  const auto origin = origin_of(profile);
  return origin ? copy_of(origin->key) : std::nullopt;
}

std::optional<fs::path> KeptExecutables::copy_of(const std::string& profile_key) {
  const auto origin = origins_.find(profile_key);
  if (!origin) return std::nullopt;
  auto copy = whole_copy(text_in(*origin));
  if (copy) CacheFolder::note_use(*origin);
  return copy;
}

// A damaged one is removed.
std::optional<fs::path> KeptExecutables::whole_copy(const std::string& key) {
  auto copy = copies_.find(key);
  if (!copy) return std::nullopt;
  const auto file = InputFile::open(*copy, FileUse::own);
  const auto digest = file ? digest_of(*file) : Expected<SourceDigest>(file.error());
  if (!digest || hexadecimal(*digest) != key) {
    CacheFolder::remove(*copy);
    return std::nullopt;
  }
  if (const auto use = uses_.find(key)) CacheFolder::note_use(*use);
  return copy;
}

Expected<SourceDigest> KeptExecutables::digest_of(const InputFile& file) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(file.path());
    if (known != known_.end() && known->second.stamp == file.stamp()) return known->second.digest;
  }
  TRY_ASSIGN(const auto digest, md5(file));
  const std::lock_guard lock(mutex_);
  if (known_.size() >= most_known) known_.clear();
  known_[file.path()] = {file.stamp(), digest};
  return digest;
}

// Its use is noted first: by its own time it may be the oldest of all.
Expected<void> KeptExecutables::add_copy(const InputFile& executable, const std::string& key) {
  TRY(uses_.put(key, [](int) { return Expected<void>(); }));
  return copies_.put(key, [&](int descriptor) { return copy_executable(executable, descriptor); });
}

bool KeptExecutables::has_room_for(std::uint64_t bytes) const {
  if (bytes > limits_.entry_bytes) return false;
  std::error_code error;
  fs::path place = directory_;
  while (!fs::exists(place, error) && place.has_relative_path()) place = place.parent_path();
  const fs::space_info space = fs::space(place, error);
  return !error && bytes <= space.available / limits_.part_of_free_space;
}

}  // namespace gprof::lsp
