// The reader behind read_live_counters(), whatever the bytes come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

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

// Adds what the chunks hold to LiveCounters, and sums up what the threads have in common.
class LiveTables {
 public:
  // Ownership: borrows the counters, whose header has been read.
  explicit LiveTables(LiveCounters& counters) : counters_(counters) {}

  // `payload`: the chunk's bytes behind its header.
  void add(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  // After the last chunk.
  void finish();

 private:
  void add_threads(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_calls(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_samples(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_stacks(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_module(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_block_counts(const gprof_formats::ChunkHeader& chunk,
                        std::span<const std::byte> payload);
  void add_block_places(const gprof_formats::ChunkHeader& chunk,
                        std::span<const std::byte> payload);
  // Of chunks that name the current epoch by the number that modules have while they are loaded.
  [[nodiscard]] std::uint64_t epoch_of(const gprof_formats::ChunkHeader& chunk) const {
    return chunk.epoch == gprof_formats::still_loaded ? counters_.epoch : chunk.epoch;
  }

  LiveCounters& counters_;
  // Sizes at which the entries of many threads are merged before more are read.
  std::size_t call_limit_ = 0;
  std::size_t sample_limit_ = 0;
  std::size_t block_limit_ = 0;
};

}  // namespace gprof
