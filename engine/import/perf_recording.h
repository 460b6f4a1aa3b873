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

#include "engine/import/chain_ends.h"
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
  // Counts these. Call it once, after the last sample.
  void count_cut_samples(const ChainEnds& ends);
  // Whether callers are known. If most chains of the program are incomplete, their callers are
  // likely wrong.
  [[nodiscard]] bool has_stacks() const;
  [[nodiscard]] bool has_chains() const { return has_chains_; }
  // Whether the program is on any stack.
  [[nodiscard]] bool is_of_program() const { return samples_of_program_ > 0; }

  // The metric of its costs, and whether these are the periods of samples; else each sample is one.
  // `weigh`: they are, unless all samples are of the same time.
  [[nodiscard]] std::pair<ProfileMetric, bool> metric(bool weigh) const;
  struct Taken {
    Row stack = no_row;
    std::uint32_t thread = 0;
    std::uint32_t slice = 0;
    std::uint64_t period = 0;
  };
  // Gives the samples up.
  [[nodiscard]] std::vector<Taken> take_samples() { return std::move(taken_); }

 private:
  [[nodiscard]] bool is_clock() const;

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
  // `path` and `size`: the file's. `symbols`: the program's.
  PerfRecording(const std::string& path, std::uint64_t size, const SymbolTable& symbols,
                MemoryRoom& room);

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
  // `places`: the innermost first; empty if none is known. `end`: where the recording says that the
  // chain ended.
  [[nodiscard]] Row add_stack(std::span<const Row> places, ChainEnd end);
  void add(std::size_t event, const RecordedSample& sample);
  // Samples hold copies of their stacks, which are walked.
  void note_copies_of_stacks() { has_copies_ = true; }

  // Decides which stacks are complete. Call it once, after the last sample.
  void end_samples();
  // After end_samples(): the stack that costs of this one belong to. Incomplete stacks get an
  // outermost place that says so.
  [[nodiscard]] Row stack_of_costs(Row stack);
  // Adds the given events' metrics in that order. Call it once, after end_samples(). Returns the
  // threads' rows, by number.
  [[nodiscard]] std::vector<Row> add_events(std::span<const std::size_t> order, bool weigh);

  // Warnings for the user, after end_samples(): threads that share a number, and why callers are
  // not measured.
  [[nodiscard]] std::vector<std::string> what_is_not_shown() const;

 private:
  struct Thread {
    std::uint32_t process = 0;
    std::uint32_t number = 0;
    std::uint64_t start = 0;
    std::string name = {};
  };

  void add_event(PerfEvent& event, std::span<const Row> threads, std::uint32_t order, bool weigh);

  const std::string& path_;
  const std::uint64_t size_;
  MemoryRoom& room_;
  ProfileBuilder builder_;
  ChainEnds ends_;
  std::vector<Row> stacks_of_costs_;  // by stack; no_row: not made yet
  bool has_copies_ = false;
  Row unknown_place_ = no_row;
  Row left_out_ = no_row;
  PerfTimeline timeline_;
  std::vector<Thread> threads_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> thread_numbers_;
  bool threads_left_out_ = false;
  std::vector<PerfEvent> events_;
  std::vector<Row> places_;  // scratch
};

// Whether the kernel enters system calls by that function. Its caller in user code was not
// interrupted: its address is behind the instruction that made the system call.
[[nodiscard]] bool is_entry_of_system_calls(std::string_view kernel_function);

}  // namespace gprof
