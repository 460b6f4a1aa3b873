#include "engine/gmon/live_counters.h"

#include "engine/gmon/live_reader.h"
#include "engine/support/input_file.h"
#include "engine/support/limits.h"

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
  if (auto fits = check_size(*file, largest_file, "a file of live counters"); !fits) {
    return fits.error();
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
