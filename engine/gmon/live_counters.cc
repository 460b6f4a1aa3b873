#include "engine/gmon/live_counters.h"

#include <fmt/format.h>

#include "engine/gmon/live_reader.h"
#include "engine/support/input_file.h"

namespace gprof {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{64} << 30;

}  // namespace

Expected<LiveCounters> read_live_counters(std::span<const std::byte> bytes,
                                          const std::string& path) {
  const LiveBytes read_at = [&](std::uint64_t offset, std::uint64_t size) {
    return Expected<std::span<const std::byte>>(bytes.subspan(offset, size));
  };
  return read_live(read_at, bytes.size(), path);
}

Expected<LiveCounters> read_live_counters_file(const std::filesystem::path& path) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  if (file->size() > largest_file) {
    return Error{ErrorCode::unsupported,
                 fmt::format("live counters of at most {} bytes expected, {} found; check that "
                             "these are some",
                             largest_file, file->size()),
                 file->path(), std::nullopt};
  }
  std::vector<std::byte> buffer;
  const LiveBytes read_at = [&](std::uint64_t offset,
                                std::uint64_t size) -> Expected<std::span<const std::byte>> {
    auto bytes = file->read_at(offset, size);
    if (!bytes) return bytes.error();
    buffer = std::move(*bytes);
    return std::span<const std::byte>(buffer);
  };
  return read_live(read_at, file->size(), file->path());
}

}  // namespace gprof
