#include "engine/import/perf_data/perf_waits.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/import/perf_data/perf_format.h"
#include "engine/support/byte_reader.h"

namespace gprof::perf_data {
namespace {

using Sign = ThreadWaits::Sign;

// A sample of a switch is taken just before the record of it.
constexpr std::uint64_t longest_switch = 1'000'000;
// Of how many threads the last one is kept.
constexpr std::size_t most_last_switches = 4096;

// The processors' idle threads, and threads that have ended, have no number.
bool is_thread(std::uint32_t thread) { return thread != 0 && thread != 0xffffffff; }

WaitCause cause_of(bool is_for_disk) { return {is_for_disk ? WaitKind::io : WaitKind::other, {}}; }

}  // namespace

PerfWaits::PerfWaits(const PerfDataFile& file, const PerfProcesses& processes, PerfModules& modules,
                     PerfRecording& recording)
    : file_(file),
      processes_(processes),
      modules_(modules),
      recording_(recording),
      scheduler_(file.attrs(), file.scheduler_formats(), file.order()) {
  has_records_ = std::ranges::any_of(file.attrs(), &PerfAttr::context_switch);
  const bool has_samples = scheduler_.has(SchedulerEvents::Kind::switched);
  is_wanted_ = has_samples ? scheduler_.is_complete() : has_records_;
}

bool PerfWaits::is_of_program(std::uint32_t process, std::uint64_t time) const {
  const auto program = processes_.program_of(process, time);
  return program && modules_.is_program(*program);
}

void PerfWaits::take(std::uint32_t event, const PerfSampleRecord& record,
                     const RecordedSample& sample) {
  if (!is_wanted_) return;
  if (scheduler_.kind_of(event) == SchedulerEvents::Kind::switched) {
    return take_switch(event, record, sample);
  }
  if (const auto woken = scheduler_.woken_thread(event, record.raw); woken && is_thread(*woken)) {
    waits_.note_numbered(Sign::woken, *woken, record.time);
  }
  if (!is_thread(record.thread)) return;
  if (!scheduler_.counts_switches(event)) return waits_.note(Sign::ran, record.thread, record.time);
  const bool is_known = last_switches_.contains(record.thread);
  if (!has_records_ || (!is_known && last_switches_.size() == most_last_switches)) return;
  last_switches_[record.thread] = {record.time, sample};
}

void PerfWaits::take_switch(std::uint32_t event, const PerfSampleRecord& record,
                            const RecordedSample& sample) {
  const auto change = scheduler_.switch_of(event, record.raw);
  if (!change) return;
  if (is_thread(change->next)) waits_.note_numbered(Sign::switched_in, change->next, record.time);
  if (!is_thread(record.thread)) return;
  waits_.note_number(change->previous, record.thread);
  if (!sample.is_of_program && !is_of_program(record.process, record.time)) {
    return waits_.note(Sign::ran, record.thread, record.time);
  }
  waits_.switch_out({record.thread, sample.thread, record.time, change->waits,
                     cause_of(change->is_for_disk), sample.stack});
}

void PerfWaits::take_other(const PerfRecord& record) {
  if (!is_wanted_) return;
  const auto event = file_.event_of(record);
  if (!event) return;
  if (record.type == record::exit && record.body.size() >= 24) {
    const std::byte* body = record.body.data();
    waits_.note(Sign::ended, stored_integer<std::uint32_t>(body + 8, file_.order()),
                stored_integer<std::uint64_t>(body + 16, file_.order()));
  }
  if (record.type != record::switched && record.type != record::switched_on_cpu) return;
  const auto origin = origin_of_other(record, file_.attrs()[*event], file_.order());
  if (!origin || !is_thread(origin->thread)) return;
  if ((record.misc & misc::switch_out) == 0) {
    waits_.note(Sign::switched_in, origin->thread, origin->time);
  } else if (!scheduler_.has(SchedulerEvents::Kind::switched)) {
    take_switch_out(*origin, (record.misc & misc::switch_out_preempt) == 0);
  }
}

void PerfWaits::take_switch_out(const PerfRecordOrigin& origin, bool waits) {
  LastSwitch last;
  const auto known = last_switches_.find(origin.thread);
  if (known != last_switches_.end()) {
    last = known->second;
    last_switches_.erase(known);
  }
  RecordedSample& sample = last.sample;
  const bool is_it = origin.time >= last.time && origin.time - last.time < longest_switch;
  if (!is_it || !sample.has_places) {
    sample = {};
    RecordedFrame frame = modules_.kernel(0, false);
    frame.kind = PlaceKind::sampled;
    const Row place = modules_.place_of(frame);
    sample.stack = recording_.add_stack(std::span(&place, 1), ChainEnd::cut);
  }
  if (!sample.is_of_program && !is_of_program(origin.process, origin.time)) return;
  const std::uint32_t thread = recording_.thread_at(origin.process, origin.thread, origin.time);
  waits_.switch_out({origin.thread, thread, origin.time, waits, cause_of(false), sample.stack});
}

void PerfWaits::finish(std::uint64_t end) { waits_.finish(recording_.timeline(), end); }

std::optional<std::string> PerfWaits::message() const {
  if (!scheduler_.has(SchedulerEvents::Kind::switched) || scheduler_.is_complete()) {
    return waits_.message();
  }
  return "has not every switch of threads: waits are not told; record without -F and -c, which are "
         "for all events, as with `perf record -e cpu-clock/freq=999/ -e sched:sched_switch`";
}

}  // namespace gprof::perf_data
