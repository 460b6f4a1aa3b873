// Which of a recording's events are the scheduler's, and what their samples say: which thread was
// switched out and why, which came in its place, which was woken up.
//
// Where things lie in a sample is told by the recording's tracing data; without that, as the kernel
// has always had it (sched_switch, sched_wakeup), if the sample has as many bytes.
//
// Thread contract: const members from any thread. Errors: none is returned for a sample that has no
// room for its fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/import/perf_data/perf_attr.h"
#include "engine/import/perf_data/tracepoint_formats.h"
#include "engine/support/units.h"

namespace gprof::perf_data {

class SchedulerEvents {
 public:
  enum class Kind : std::uint8_t {
    none,
    switched,  // from one thread to another
    woken,     // a thread, or told how long it was away after it
  };
  struct Switch {
    std::uint32_t previous = 0;
    std::uint32_t next = 0;
    bool waits = false;        // the previous one could not have gone on
    bool is_for_disk = false;  // it cannot be interrupted: usually for a disk
  };

  SchedulerEvents() = default;
  SchedulerEvents(const std::vector<PerfAttr>& attrs, const std::vector<TracepointFormat>& formats,
                  ByteOrder order);

  // Of the event with that number.
  [[nodiscard]] Kind kind_of(std::uint32_t event) const {
    return event < events_.size() ? events_[event].kind : Kind::none;
  }
  // Whether it counts switches of threads without saying more: `context-switches`.
  [[nodiscard]] bool counts_switches(std::uint32_t event) const {
    return event < events_.size() && events_[event].counts_switches;
  }
  // Whether there is an event of this kind.
  [[nodiscard]] bool has(Kind kind) const;
  // Whether an event has a sample of each switch.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

  // `raw`: of a sample.
  [[nodiscard]] std::optional<Switch> switch_of(std::uint32_t event,
                                                std::span<const std::byte> raw) const;
  [[nodiscard]] std::optional<std::uint32_t> woken_thread(std::uint32_t event,
                                                          std::span<const std::byte> raw) const;

 private:
  // Positions of the fields that are read, in one tracepoint format.
  struct Fields {
    TracepointField previous;
    TracepointField state;
    TracepointField next;
    TracepointField woken;
  };
  struct Event {
    Kind kind = Kind::none;
    bool counts_switches = false;
    std::optional<Fields> fields;  // none: as the kernel has always had it
  };

  [[nodiscard]] std::optional<std::uint64_t> number_in(std::span<const std::byte> raw,
                                                       TracepointField field) const;

  ByteOrder order_ = ByteOrder::little;
  std::vector<Event> events_;  // by number
  bool is_complete_ = true;
};

}  // namespace gprof::perf_data
