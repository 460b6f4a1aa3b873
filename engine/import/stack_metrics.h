// Gathers stacks with values of several metrics, which a tool has added up, and makes a profile of
// them.
//
// Units: ticks of each metric. Ownership: owns its data. Thread contract: one thread. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/import/imported_profile.h"
#include "engine/import/named_places.h"
#include "engine/import/perf_event.h"

namespace gprof {

struct StackMetric {
  Metric metric;
  std::uint32_t rate = 1;  // ticks a unit of the metric
  // What one sample stands for, in ticks: its figures have the error of as many samples.
  std::uint64_t ticks_a_sample = 1;
};

class StackMetrics {
 public:
  // The first is shown if none is asked for. The room is borrowed.
  StackMetrics(std::vector<StackMetric> metrics, ImportRoom& room);

  // `frames`: the innermost first, the others as return addresses; `thread`: as thread_of() says.
  void add(std::size_t metric, const std::vector<ModuleAddress>& frames, std::uint64_t ticks,
           std::uint32_t thread);
  // The place of a thread, which is added if it is new; no_thread if there are too many. Those
  // without a number are numbered.
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t process, std::uint32_t thread,
                                        std::string_view name);
  [[nodiscard]] bool has_left_out_threads() const { return threads_left_out_; }
  [[nodiscard]] bool is_of_program() const;
  [[nodiscard]] std::uint64_t stacks() const { return stacks_; }
  // That found no room.
  [[nodiscard]] std::uint64_t left_out_samples() const;
  [[nodiscard]] std::uint64_t unplaced(const SymbolTable& symbols) const;
  // The places' modules and names are taken.
  [[nodiscard]] ImportedProfile take(NamedPlaces& places, const SymbolTable& symbols);

 private:
  using ThreadKey = std::pair<std::pair<std::uint32_t, std::uint32_t>, std::string>;

  void finish(ImportedProfile& profile, const StackMetric& metric) const;

  std::vector<StackMetric> metrics_;
  ImportRoom& room_;
  std::vector<PerfEvent> events_;
  PerfRecording recording_;
  std::map<ThreadKey, std::uint32_t> thread_places_;
  bool threads_left_out_ = false;
  std::uint64_t stacks_ = 0;
};

}  // namespace gprof
