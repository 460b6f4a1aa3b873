// Builds a profile from the samples that perf recorded: each event becomes a metric. Used by the
// readers of perf.data and of the text of `perf script`.
//
// Units: amounts are samples if all of them represent the same time or the file has one event;
// otherwise the sum of their periods, which clocks count in nanoseconds. Ownership: borrows the
// room. Thread contract: one thread. Errors: none; the builder counts samples that find no room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/import/imported_profile.h"
#include "engine/profile/memory_room.h"
#include "engine/profile/profile_builder.h"

namespace gprof {

// Divides a recording into as many slices of time as are allowed. Their width is a power of two.
struct PerfTimeline {
  std::uint64_t start = 0;  // of the first sample, nanoseconds of perf's clock
  std::uint64_t width = 1;
  std::uint32_t slices = 1;

  PerfTimeline() = default;
  PerfTimeline(std::uint64_t first, std::uint64_t last);
  [[nodiscard]] std::uint32_t slice_at(std::uint64_t time) const;
};

struct RecordedSample {
  Row stack = no_row;        // from PerfRecording::add_stack(); none: there was no room
  std::uint64_t period = 0;  // 0: unknown
  std::uint32_t thread = 0;  // from PerfRecording::thread_at()
  std::uint32_t slice = 0;
  bool has_places = false;     // whether the stack has any known place
  bool is_chain = false;       // whether callers were recorded
  bool is_complete = false;    // whether the stack reaches the function that began the thread
  bool is_of_program = false;  // whether the program is on the stack
};

// The samples of one event.
class PerfEvent {
 public:
  explicit PerfEvent(std::string name) : name_(std::move(name)) {}

  void add(const RecordedSample& sample, MemoryRoom& room);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  // Samples with the program on their stacks, and those of them whose call chains are incomplete.
  [[nodiscard]] std::uint64_t samples_of_program() const { return samples_of_program_; }
  [[nodiscard]] std::uint64_t cut_samples() const { return cut_; }
  // Whether callers are known. If most chains of the program are incomplete, their callers are
  // likely wrong.
  [[nodiscard]] bool has_stacks() const;
  [[nodiscard]] bool has_chains() const { return has_chains_; }
  // Whether the program is on any stack.
  [[nodiscard]] bool is_of_program() const { return samples_of_program_ > 0; }

  // Adds the metric and its costs, and gives the samples up. `threads`: their rows; `weigh`:
  // samples weigh their periods, unless they are all the same time.
  void add_to(ProfileBuilder& builder, std::span<const Row> threads, std::uint32_t order,
              bool weigh);

 private:
  struct Taken {
    Row stack = no_row;
    std::uint32_t thread = 0;
    std::uint32_t slice = 0;
    std::uint64_t period = 0;
  };

  [[nodiscard]] bool is_clock() const;
  // The second value: whether amounts are periods.
  [[nodiscard]] std::pair<ProfileMetric, bool> metric(bool weigh) const;

  std::string name_;
  std::vector<Taken> taken_;
  std::uint64_t samples_ = 0;
  std::uint64_t period_ = 0;
  bool one_period_ = true;
  bool has_periods_ = true;
  bool has_chains_ = false;
  std::uint64_t samples_of_program_ = 0;
  std::uint64_t cut_ = 0;
};

class PerfRecording {
 public:
  // `path` and `size`: the file's.
  PerfRecording(const std::string& path, std::uint64_t size, MemoryRoom& room);

  [[nodiscard]] ProfileBuilder& builder() { return builder_; }
  [[nodiscard]] MemoryRoom& room() { return room_; }
  [[nodiscard]] const PerfTimeline& timeline() const { return timeline_; }
  // Call it before the first sample.
  void set_timeline(const PerfTimeline& timeline) { timeline_ = timeline; }

  // The number of a thread, which runs at `time`. Threads beyond the bound share the number 0.
  std::uint32_t thread_at(std::uint32_t process, std::uint32_t thread, std::uint64_t time);
  void name_thread(std::uint32_t thread, std::string_view name);
  using ThreadName = std::function<std::string_view(std::uint32_t process, std::uint32_t thread)>;
  void name_threads(const ThreadName& name_of);

  [[nodiscard]] std::vector<PerfEvent>& events() { return events_; }
  [[nodiscard]] const std::vector<PerfEvent>& events() const { return events_; }
  // `places`: the innermost first; empty if none is known. Incomplete stacks get an outermost place
  // that says so.
  [[nodiscard]] Row add_stack(std::span<const Row> places, bool is_complete);
  void add(std::size_t event, const RecordedSample& sample);

  // Adds the given events' metrics in that order. Call it once. Returns the threads' rows, by
  // number.
  [[nodiscard]] std::vector<Row> add_events(std::span<const std::size_t> order, bool weigh);

  // Warnings for the user: threads that share a number, and why callers are not measured.
  [[nodiscard]] std::vector<std::string> what_is_not_shown() const;

 private:
  struct Thread {
    std::uint32_t process = 0;
    std::uint32_t number = 0;
    std::uint64_t start = 0;
    std::string name = {};
  };

  const std::string& path_;
  const std::uint64_t size_;
  MemoryRoom& room_;
  ProfileBuilder builder_;
  Row unknown_place_ = no_row;
  Row left_out_ = no_row;
  PerfTimeline timeline_;
  std::vector<Thread> threads_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> thread_numbers_;
  bool threads_left_out_ = false;
  std::vector<PerfEvent> events_;
  std::vector<Row> places_;  // scratch of add_stack()
};

// The two ends of a call chain: its innermost user code, which was sampled or called the kernel,
// and its outermost frame.
struct ChainEnds {
  bool has_user_code = false;           // false: all frames are the kernel's
  bool is_sampled_in_loader = false;    // innermost: in the dynamic linker
  bool is_sampled_elsewhere = false;    // innermost: in another module than the outermost
  bool is_in_c_library = false;         // outermost
  bool is_in_start_of_threads = false;  // outermost: is_start_of_threads()
};
// Whether the chain reaches the function that began the thread. Threads begin in the C library, so
// an outermost frame there suffices, unless the sampled user code is in it as well.
[[nodiscard]] bool is_whole_chain(const ChainEnds& ends);

// Whether complete call chains end in that function, because threads begin in it.
[[nodiscard]] bool is_start_of_threads(std::string_view function);

// Whether the kernel enters system calls by that function. Its caller in user code was not
// interrupted: its address is behind the instruction that made the system call.
[[nodiscard]] bool is_entry_of_system_calls(std::string_view kernel_function);

}  // namespace gprof
