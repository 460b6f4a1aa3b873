// The reader behind read_live_counters(), whatever the bytes come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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
  // `version`: of the file; `crash`: of its header.
  LiveTables(LiveCounters& counters, std::uint32_t version, const gprof_formats::CrashNote& crash)
      : counters_(counters), version_(version), crash_(crash) {}

  // `payload`: the chunk's bytes behind its header.
  void add(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  // After the last chunk.
  void finish();

 private:
  void add_threads(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_calls(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_old_samples(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_samples(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_stack_counts(const gprof_formats::ChunkHeader& chunk,
                        std::span<const std::byte> payload);
  void add_stacks(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_module(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_block_counts(const gprof_formats::ChunkHeader& chunk,
                        std::span<const std::byte> payload);
  void add_block_places(const gprof_formats::ChunkHeader& chunk,
                        std::span<const std::byte> payload);
  void add_waits(const gprof_formats::ChunkHeader& chunk, std::span<const std::byte> payload);
  void add_wait_holders(const gprof_formats::ChunkHeader& chunk,
                        std::span<const std::byte> payload);
  void add_wait_functions(const gprof_formats::ChunkHeader& chunk,
                          std::span<const std::byte> payload);
  // Of chunks that name the current epoch by the number that modules have while they are loaded.
  [[nodiscard]] std::uint64_t epoch_of(const gprof_formats::ChunkHeader& chunk) const {
    return chunk.epoch == gprof_formats::still_loaded ? counters_.epoch : chunk.epoch;
  }

  void finish_threads();
  void finish_calls();
  void finish_samples();
  void finish_stacks();
  void finish_waits();
  void finish_crash();
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t number) const;

  // The valid table of a slot, of those that replace one another.
  template <typename Entry>
  struct Newest {
    std::uint64_t edition = 0;
    std::vector<Entry> entries;
  };
  // Where an older table, or one in the making, is to be left out, null.
  template <typename Entry>
  std::vector<Entry>* table_of(std::map<std::uint32_t, Newest<Entry>>& tables,
                               const gprof_formats::ChunkHeader& chunk);

  struct StackNumber {
    std::uint32_t slot = 0;
    std::uint32_t number = 0;  // of the stack, in the slot
    friend auto operator<=>(const StackNumber&, const StackNumber&) = default;
  };
  struct NumberedPart {
    std::uint32_t stack = 0;
    LivePart part;
  };

  // The stack of that number, if there is one, as a stack of waits.
  std::optional<std::uint32_t> wait_stack(StackNumber number);
  // Its place in counters_.stacks before finish_stacks().
  [[nodiscard]] std::optional<std::size_t> stack_of(StackNumber number) const;

  LiveCounters& counters_;
  std::uint32_t version_;
  gprof_formats::CrashNote crash_;
  std::map<std::uint32_t, Newest<LiveSample>> samples_;         // by slot
  std::map<std::uint32_t, Newest<NumberedPart>> stack_counts_;  // by slot
  // By slot. Their stacks and threads are numbers still.
  std::map<std::uint32_t, Newest<LiveWait>> waits_;
  std::map<std::uint32_t, Newest<gprof_formats::HolderCount>> wait_holders_;
  std::map<std::size_t, std::uint32_t> wait_stacks_;                // by place in counters_.stacks
  std::vector<std::pair<StackNumber, std::size_t>> stack_numbers_;  // of counters_.stacks
  // Sizes at which the entries of many threads are merged before more are read.
  std::size_t call_limit_ = 0;
  std::size_t sample_limit_ = 0;
  std::size_t block_limit_ = 0;
};

}  // namespace gprof
