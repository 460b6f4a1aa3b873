// The waits of the program's threads in a recording: from samples of `sched:sched_switch`, else
// from the kernel's records of switches (`perf record --switch-events`), whose stacks are those of
// samples of `context-switches`, or not known.
//
// Ownership: borrows what it is made of. Thread contract: one thread. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "engine/import/perf_data/perf_data_file.h"
#include "engine/import/perf_data/perf_modules.h"
#include "engine/import/perf_data/perf_processes.h"
#include "engine/import/perf_data/perf_sample.h"
#include "engine/import/perf_data/scheduler_events.h"
#include "engine/import/perf_recording.h"
#include "engine/import/thread_waits.h"
#include "engine/support/hash_seed.h"

namespace gprof::perf_data {

class PerfWaits {
 public:
  // Once the file was looked through.
  PerfWaits(const PerfDataFile& file, const PerfProcesses& processes, PerfModules& modules,
            PerfRecording& recording);

  // `sample`: what was made of the record, of the event with that number.
  void take(std::uint32_t event, const PerfSampleRecord& record, const RecordedSample& sample);
  void take_other(const PerfRecord& record);

  void finish(std::uint64_t end);
  // After finish().
  [[nodiscard]] bool empty() const { return waits_.empty(); }
  // What a user is told of them.
  [[nodiscard]] std::optional<std::string> message() const;
  // `threads`: their rows.
  void add_costs(std::span<const Row> threads) {
    waits_.add_to(recording_.builder(), threads,
                  [this](Row stack) { return recording_.stack_of_costs(stack); });
  }

 private:
  // How a thread was switched out, as far as a sample said.
  struct LastSwitch {
    std::uint64_t time = 0;
    RecordedSample sample;
  };

  [[nodiscard]] bool is_of_program(std::uint32_t process, std::uint64_t time) const;
  void take_switch(std::uint32_t event, const PerfSampleRecord& record,
                   const RecordedSample& sample);
  void take_switch_out(const PerfRecordOrigin& origin, bool waits);

  const PerfDataFile& file_;
  const PerfProcesses& processes_;
  PerfModules& modules_;
  PerfRecording& recording_;
  SchedulerEvents scheduler_;
  bool has_records_ = false;  // of switches, beside samples
  bool is_wanted_ = false;
  std::unordered_map<std::uint32_t, LastSwitch, NumberHash> last_switches_;  // by thread
  ThreadWaits waits_;
};

}  // namespace gprof::perf_data
