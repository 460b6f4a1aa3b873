// Processes the kernel's records on their way into the file: counts them, drops samples that a
// thread has twice, and cuts copies of stacks to what was copied.
//
// Ownership: borrows the writer. Thread contract: one thread. Errors: none; records that are
// shorter than their event says are passed on as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <linux/perf_event.h>

namespace gprof::lsp {

// What was recorded of a process.
struct IntakeCounts {
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;            // records that the buffers had no room for
  std::set<std::uint32_t> threads;   // all that existed, whether they ran or not
  std::set<std::string> code_files;  // mapped while it was recorded
};

class PerfIntake {
 public:
  using Output = std::function<void(std::span<const std::byte> record)>;

  // Precondition: `event` and `threads_by_event` are those of SampledThreads.
  PerfIntake(std::uint32_t process, const perf_event_attr& event,
             std::map<std::uint64_t, std::uint32_t> threads_by_event, Output output);

  // A record with its header, as the kernel wrote it.
  void take(std::span<const std::byte> record);

  [[nodiscard]] const IntakeCounts& counts() const { return counts_; }

 private:
  void take_sample(std::span<const std::byte> record);
  [[nodiscard]] bool is_twice(std::span<const std::byte> record) const;
  [[nodiscard]] std::span<const std::byte> with_cut_stack(std::span<const std::byte> record);
  void note_thread(std::span<const std::byte> record, bool begins);
  void note_mapping(std::span<const std::byte> record);

  const std::uint32_t process_;
  const std::uint64_t sample_type_;
  const std::uint64_t registers_;  // how many a sample has
  std::map<std::uint64_t, std::uint32_t> threads_by_event_;
  std::set<std::uint32_t> opened_;  // threads with an event that was opened for them
  Output output_;
  IntakeCounts counts_;
  std::vector<std::byte> cut_;
};

}  // namespace gprof::lsp
