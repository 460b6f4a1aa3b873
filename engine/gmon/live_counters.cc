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
  const LiveSource source = {
      [&](std::uint64_t offset, std::uint64_t size) {
        return Expected<std::span<const std::byte>>(bytes.subspan(offset, size));
      },
      [](std::uint64_t offset) { return offset; }};
  return read_live(source, bytes.size(), path);
}

Expected<LiveCounters> read_live_counters_file(const InputFile& file) {
  TRY(check_size(file, largest_file, "a file of live counters"));
  std::vector<std::byte> buffer;
  const LiveSource source = {
      [&](std::uint64_t offset, std::uint64_t size) -> Expected<std::span<const std::byte>> {
        TRY_ASSIGN(auto bytes, file.read_at(offset, size));
        buffer = std::move(bytes);
        return std::span<const std::byte>(buffer);
      },
      // A file that a program counts in has all its space reserved, and the disk may not know yet
      // what was just written.
      [&, sparse = file.is_sparse()](std::uint64_t offset) {
        return sparse ? file.next_data(offset) : offset;
      }};
  return read_live(source, file.size(), file.path());
}

Expected<LiveCounters> read_live_counters_file(const std::filesystem::path& path) {
  TRY_ASSIGN(const auto file, InputFile::open(path));
  return read_live_counters_file(file);
}

}  // namespace gprof
