// The reader behind read_live_counters(), whatever the bytes come from; and the numbers of the
// format. Format: docs/gmon-format.md, section "Live counters".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/gmon/entry_view.h"
#include "engine/gmon/live_counters.h"

namespace gprof {

// Where the file's bytes come from.
struct LiveSource {
  // Precondition: the range lies within the file. The bytes stay valid until the next call.
  std::function<Expected<std::span<const std::byte>>(std::uint64_t offset, std::uint64_t size)>
      read_at;
  // As InputFile::next_data().
  std::function<std::uint64_t(std::uint64_t offset)> next_data;
};

Expected<LiveCounters> read_live(const LiveSource& source, std::uint64_t file_size,
                                 const std::string& path);

namespace live_format {

inline constexpr std::string_view magic = "gprofliv";
inline constexpr std::string_view chunk_magic = "gprofchk";
inline constexpr std::uint32_t version = 1;
inline constexpr std::uint64_t header_size = 2048;
inline constexpr std::uint64_t chunk_alignment = 4096;
inline constexpr std::uint64_t chunk_header_size = 64;
inline constexpr std::uint64_t retired_address = 1;
inline constexpr std::uint64_t block_page_span = 16384;

enum class ChunkKind : std::uint32_t {
  none = 0,  // not yet, or no longer in use
  threads = 1,
  arcs = 2,
  through_arcs = 3,
  samples = 4,
  stacks = 5,
  module = 6,
  block_counts = 7,
  block_places = 8,
  retired_arcs = 9,
  retired_through_arcs = 10,
};

struct ChunkHeader {
  ChunkKind kind = ChunkKind::none;
  std::uint32_t slot = 0;
  std::uint64_t size = 0;  // bytes, with the header
  std::uint64_t capacity = 0;
  std::uint64_t used = 0;
  std::uint64_t epoch = 0;
};

}  // namespace live_format

// Adds what the chunks hold to LiveCounters, and sums up what the threads have in common.
class LiveTables {
 public:
  // Ownership: borrows the counters, whose header is read.
  explicit LiveTables(LiveCounters& counters) : counters_(counters) {}

  // `payload`: the chunk's bytes behind its header.
  void add(const live_format::ChunkHeader& chunk, std::span<const std::byte> payload);
  // After the last chunk.
  void finish();

 private:
  void add_threads(const live_format::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_calls(const live_format::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_samples(const live_format::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_stacks(const live_format::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_module(const live_format::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_block_counts(const live_format::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_block_places(const live_format::ChunkHeader& chunk, std::span<const std::byte> payload);
  // Of chunks that name the current epoch by the number that modules have while they are loaded.
  [[nodiscard]] std::uint64_t epoch_of(const live_format::ChunkHeader& chunk) const {
    return chunk.epoch == LiveModule::still_loaded ? counters_.epoch : chunk.epoch;
  }

  LiveCounters& counters_;
  // Sizes at which the entries of many threads are summed up before more are read.
  std::size_t call_limit_ = 0;
  std::size_t sample_limit_ = 0;
  std::size_t block_limit_ = 0;
};

}  // namespace gprof
