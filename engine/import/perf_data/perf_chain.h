// The frames of a sample: from its call chain, its branch stack, or its address alone.
//
// Thread contract: one thread. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/import/perf_data/perf_modules.h"
#include "engine/import/perf_data/perf_processes.h"
#include "engine/import/perf_data/perf_sample.h"
#include "engine/import/perf_recording.h"
#include "engine/profile/row_index.h"

namespace gprof::perf_data {

class PerfUnwinder;

// Finds the row of a stack by its frames, without a lookup of each frame's place. Stacks are
// identified by hashes of 128 bits, whose seeds are the process's: the probability that two of 2^32
// stacks share a hash is below 10^-18.
class KnownStacks {
 public:
  struct Hash {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    friend bool operator==(const Hash&, const Hash&) = default;
  };
  [[nodiscard]] static Hash hash_of(std::span<const RecordedFrame> frames, ChainEnd end);
  // no_row if it is unknown.
  [[nodiscard]] Row find(const Hash& hash) const;
  // Precondition: the stack is unknown.
  void add(const Hash& hash, Row stack);
  static constexpr std::uint64_t bytes_of_stack = 64;

 private:
  struct Known {
    Hash hash;
    Row stack = no_row;
  };
  RowIndex places_;  // in known_
  std::vector<Known> known_;
};

class PerfChains {
 public:
  // `unwinder`: null if stacks that were copied are not walked.
  PerfChains(const PerfProcesses& processes, PerfModules& modules, PerfUnwinder* unwinder,
             PerfRecording& recording)
      : processes_(processes), modules_(modules), unwinder_(unwinder), recording_(recording) {}

  // Sets the sample's stack, and whether it is of a call chain.
  void take(const PerfSampleRecord& record, std::uint16_t mode, const PerfAttr& attr,
            RecordedSample& sample);

 private:
  enum class Part : std::uint8_t { user, kernel, guest };

  [[nodiscard]] static Part part_of(std::uint16_t mode);
  void add(std::uint64_t address, Part part, const PerfSampleRecord& record,
           PlaceKind kind = PlaceKind::call);
  void add_user(std::uint64_t address, const PerfSampleRecord& record, PlaceKind kind);
  void add_chain(const PerfSampleRecord& record, Part part, bool with_user);
  void add_branches(const PerfSampleRecord& record);
  void take_stack(RecordedSample& sample, ChainEnd end);

  const PerfProcesses& processes_;
  PerfModules& modules_;
  PerfUnwinder* unwinder_;
  PerfRecording& recording_;
  KnownStacks known_stacks_;
  std::vector<RecordedFrame> frames_;
  std::vector<Row> places_;
  bool is_in_system_call_ = false;  // whether the kernel was entered by a system call
};

}  // namespace gprof::perf_data
