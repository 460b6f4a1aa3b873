// Gathers the samples of one event that perf recorded, and makes a profile of them.
//
// Units: ticks are samples, where each stands for the same part of a second or the file has one
// event; else they are the events that samples stand for, by their periods (of clocks nanoseconds).
// Thread contract: one thread. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/import/import_room.h"
#include "engine/import/imported_profile.h"
#include "engine/import/stack_table.h"
#include "engine/object/symbol_table.h"

namespace gprof {

// How a recording is divided into slices of time: as many as may be, whose width is a power of two.
struct PerfTimeline {
  std::uint64_t start = 0;  // of the first sample, nanoseconds of perf's clock
  std::uint64_t width = 1;
  std::uint32_t slices = 1;

  PerfTimeline() = default;
  PerfTimeline(std::uint64_t first, std::uint64_t last);
  [[nodiscard]] std::uint32_t slice_at(std::uint64_t time) const;
};

// What all events of a recording have in common.
struct PerfRecording {
  std::vector<SidecarModule> modules;  // the program's comes first
  std::vector<SidecarThread> threads;
  PerfTimeline timeline;
  bool has_several_events = false;
  bool threads_left_out = false;  // there were too many
};

class PerfEvent {
 public:
  explicit PerfEvent(std::string name) : name_(std::move(name)) {}

  struct Sample {
    std::vector<ModuleAddress> frames;  // the innermost first; empty if none is known
    std::uint64_t period = 0;           // 0 if not given
    std::uint32_t thread = no_thread;   // place among the recording's
    std::uint32_t slice = 0;
    bool is_chain = false;     // else of the innermost frame alone
    bool is_complete = false;  // the frames reach the function that began the thread
  };
  // Without room for its stack, a sample is known by its place; without room for that, it is left
  // out.
  void add(Sample sample, ImportRoom& room);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t samples() const { return taken_.size(); }
  // That found no room.
  [[nodiscard]] std::uint64_t left_out_samples() const { return left_out_; }
  // Whose call chains are incomplete, or beyond the number of different frames that are kept.
  [[nodiscard]] std::uint64_t cut_samples() const { return cut_; }
  // Whether callers are known.
  [[nodiscard]] bool has_stacks() const;
  [[nodiscard]] bool has_chains() const { return has_chains_; }
  // Whether the program is on any stack.
  [[nodiscard]] bool is_of_program() const;
  // In the program, outside of all functions.
  [[nodiscard]] std::uint64_t unplaced_samples(const SymbolTable& symbols) const;

  // `symbols`: of the program. Its samples are given up.
  [[nodiscard]] ImportedProfile take_profile(const PerfRecording& recording,
                                             const SymbolTable& symbols);

 private:
  struct Taken {
    std::uint32_t stack = 0;
    std::uint32_t thread = 0;
    std::uint32_t slice = 0;
    std::uint64_t period = 0;
  };

  [[nodiscard]] bool is_clock() const;
  // Returns whether samples weigh their periods.
  [[nodiscard]] bool choose_unit(ImportedProfile& profile, bool of_several) const;
  // By stack, in the order in which stacks came.
  [[nodiscard]] std::vector<SidecarPart> take_parts(bool weighted);
  void take_stacks(Sidecar& sidecar, std::vector<SidecarPart> parts);
  // The sampled place of each stack.
  [[nodiscard]] std::vector<ModuleAddress> places(const SymbolTable& symbols) const;

  std::string name_;
  StackTable stacks_;
  std::vector<Taken> taken_;
  std::uint64_t period_ = 0;
  bool one_period_ = true;
  bool has_periods_ = true;
  bool has_chains_ = false;
  std::uint64_t cut_ = 0;
  std::uint64_t left_out_ = 0;
};

// What a user is told of events that were read: threads and samples that are not shown, and why
// callers are not measured.
[[nodiscard]] std::vector<std::string> what_is_not_shown(const std::vector<PerfEvent>& events,
                                                         const PerfRecording& recording,
                                                         const ImportTarget& target);

}  // namespace gprof
