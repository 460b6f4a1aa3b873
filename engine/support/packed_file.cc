#include "engine/support/packed_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/support/decompress.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

struct Packing {
  std::string_view magic;
  std::string_view suffix;
  Compression compression;
};
constexpr std::array<Packing, 3> packings = {{{"\x1f\x8b\x08", ".gz", Compression::gzip},
                                              {std::string_view("\xfd"
                                                                "7zXZ\0",
                                                                6),
                                               ".xz", Compression::xz},
                                              {"\x28\xb5\x2f\xfd", ".zst", Compression::zstd}}};
constexpr std::string_view bzip2_magic = "BZh";
// Starts bzip2's first block, behind a digit for its size.
constexpr std::string_view bzip2_block = "1AY&SY";

Error unsupported(const std::string& path, std::string message) {
  return Error{ErrorCode::unsupported, std::move(message), path, std::nullopt};
}

}  // namespace

Expected<InputFile> open_unpacked(const std::filesystem::path& path) {
  TRY_ASSIGN(auto file, InputFile::open(path));
  constexpr std::uint64_t magic_size = 16;
  TRY_ASSIGN(const auto bytes, file.read_at(0, std::min(magic_size, file.size())));
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (start.starts_with(bzip2_magic) && start.substr(4).starts_with(bzip2_block)) {
    return unsupported(file.path(),
                       "is compressed by bzip2, which is not supported; unpack it first");
  }
  const auto* const packing = std::ranges::find_if(
      packings, [&](const Packing& known) { return start.starts_with(known.magic); });
  if (packing == packings.end()) return file;
  TRY(check_size(file, largest_profile, "a packed profile"));
  TRY_ASSIGN(const auto packed, file.read_all());
  const std::uint64_t max_bytes =
      std::min(max_unpacked_profile_bytes(file.size()), largest_profile);
  auto unpacked = decompress(packing->compression, packed, std::nullopt, max_bytes);
  if (!unpacked) {
    Error error = std::move(unpacked).error();
    error.path = file.path();
    if (error.code == ErrorCode::unsupported) error.message += "; unpack it first";
    return error;
  }
  return InputFile::of_bytes(file, *std::move(unpacked));
}

std::string_view unpacked_name(std::string_view name) {
  for (const Packing& packing : packings) {
    const bool has_suffix = name.size() > packing.suffix.size() && name.ends_with(packing.suffix);
    if (has_suffix) return name.substr(0, name.size() - packing.suffix.size());
  }
  return name;
}

}  // namespace gprof
