// The kernel's sampling of all threads of a running process, and of those that they start: an event
// for each thread on each CPU, and a buffer for each CPU. The process is neither stopped nor traced
// nor changed.
//
// Units: nanoseconds. Ownership: owns descriptors and buffers; sampling ends with them. Thread
// contract: one thread. Errors: why the kernel refuses, and what would allow it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include <linux/perf_event.h>

#include "engine/support/expected.h"
#include "server/cli/record/attach_target.h"
#include "server/cli/record/perf_ring.h"

namespace gprof::lsp {

// How stacks get into samples.
enum class StackSource : std::uint8_t {
  none,
  frame_pointers,  // the kernel follows them
  copies,          // registers and a copy of the stack, which the reader unwinds
};

// The best one that perf_data/perf_unwinder can unwind for programs of a processor (EM_*).
[[nodiscard]] StackSource stack_source_for(std::uint16_t machine);

struct SamplingWishes {
  std::uint64_t period = 0;  // of CPU time, between samples of a thread
  StackSource stacks = StackSource::copies;
};

// The event as perf_event_open takes it: CPU time, with the kernel's.
[[nodiscard]] perf_event_attr sampled_cpu_time(const SamplingWishes& wishes);

class SampledThreads {
 public:
  // Samples from now on. Errors: invalid_argument, with a sentence for the user.
  static Expected<SampledThreads> open(const AttachTarget& target, const SamplingWishes& wishes);

  SampledThreads(SampledThreads&& other) noexcept;
  SampledThreads& operator=(SampledThreads&&) = delete;
  SampledThreads(const SampledThreads&) = delete;
  SampledThreads& operator=(const SampledThreads&) = delete;
  ~SampledThreads();

  // As the kernel has accepted it.
  [[nodiscard]] const perf_event_attr& attributes() const { return attributes_; }
  // Whether time in the kernel is sampled as well, which takes a permission.
  [[nodiscard]] bool has_kernel() const { return attributes_.exclude_kernel == 0; }
  // The kernel's numbers of the events, each with its thread. Threads that were started later are
  // sampled by the event of the one that started them.
  [[nodiscard]] const std::map<std::uint64_t, std::uint32_t>& threads_by_event() const {
    return threads_by_event_;
  }
  // Bytes of each buffer.
  [[nodiscard]] std::size_t ring_size() const { return ring_size_; }

  // Visits the records in the buffers, one buffer after the other, each in the order of time.
  void take_records(const PerfRing::Visitor& visit);

 private:
  SampledThreads(const perf_event_attr& attributes, const std::vector<int>& cpus,
                 std::size_t ring_size);

  struct Cpu {
    int number = 0;
    int first_event = -1;  // the descriptor whose buffer the others write to
  };
  [[nodiscard]] Expected<void> open_all(const AttachTarget& target);
  [[nodiscard]] Expected<void> open_thread(const AttachTarget& target, std::uint32_t thread);
  // The descriptor; -1 if there is nothing to sample, as the thread or CPU is gone.
  [[nodiscard]] Expected<int> open_event(const AttachTarget& target, std::uint32_t thread,
                                         const Cpu& cpu);
  [[nodiscard]] Expected<void> connect(const AttachTarget& target, int event, Cpu& cpu);

  perf_event_attr attributes_;
  std::size_t ring_size_;
  bool lacks_memory_ = false;  // that this user may lock for buffers
  std::vector<Cpu> cpus_;
  std::vector<int> events_;
  std::vector<PerfRing> rings_;
  std::set<std::uint32_t> opened_;
  std::map<std::uint64_t, std::uint32_t> threads_by_event_;
};

// The CPUs in a list as the kernel writes it: "0-3,8". None if it is not such a list. Pure.
[[nodiscard]] std::vector<int> cpus_in(std::string_view list);

}  // namespace gprof::lsp
