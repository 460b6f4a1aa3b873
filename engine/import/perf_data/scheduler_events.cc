#include "engine/import/perf_data/scheduler_events.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "engine/import/perf_data/perf_format.h"
#include "engine/support/byte_reader.h"

namespace gprof::perf_data {
namespace {

// Bits of a state in which a thread waits: it sleeps, interruptibly or not, or was stopped. They
// have never changed; those above them have, and are of threads that end or were preempted.
constexpr std::uint64_t waiting_states = 0xf;
constexpr std::uint64_t uninterruptible = 0x2;

// Where there is no format. A long has 8 bytes in the first, 4 in the second.
struct SwitchLayout {
  std::size_t size;
  TracepointField previous;
  TracepointField state;
  TracepointField next;
};
constexpr std::array<SwitchLayout, 2> switch_layouts = {{
    {64, {24, 4}, {32, 8}, {56, 4}},
    {60, {24, 4}, {32, 4}, {52, 4}},
}};
constexpr TracepointField usual_woken = {24, 4};

// Those that say how long a thread was away lie elsewhere in each version: only with a format.
SchedulerEvents::Kind kind_of_name(std::string_view name, bool has_format) {
  if (name == "sched_switch") return SchedulerEvents::Kind::switched;
  const bool says_how_long =
      name == "sched_stat_sleep" || name == "sched_stat_blocked" || name == "sched_stat_iowait";
  return name == "sched_wakeup" || (says_how_long && has_format) ? SchedulerEvents::Kind::woken
                                                                 : SchedulerEvents::Kind::none;
}

// Without its system and modifiers: "sched:sched_switch:u".
std::string_view tracepoint_name(std::string_view event) {
  constexpr std::string_view system = "sched:";
  if (!event.starts_with(system)) return {};
  event.remove_prefix(system.size());
  return event.substr(0, event.find(':'));
}

TracepointField field_of(const TracepointFormat& format, std::string_view name) {
  const auto found = format.fields.find(name);
  return found == format.fields.end() ? TracepointField() : found->second;
}

}  // namespace

SchedulerEvents::SchedulerEvents(const std::vector<PerfAttr>& attrs,
                                 const std::vector<TracepointFormat>& formats, ByteOrder order)
    : order_(order), events_(attrs.size()) {
  std::map<std::uint64_t, const TracepointFormat*> by_id;
  for (const TracepointFormat& format : formats) by_id.try_emplace(format.id, &format);
  for (std::size_t i = 0; i < attrs.size(); ++i) {
    const PerfAttr& attr = attrs[i];
    Event& event = events_[i];
    event.counts_switches = attr.type == event_type::software &&
                            attr.config == software_event::context_switches && attr.period == 1;
    if (attr.type != event_type::tracepoint) continue;
    const auto known = by_id.find(attr.config);
    if (known == by_id.end()) {
      event.kind = kind_of_name(tracepoint_name(attr.name), false);
    } else {
      const TracepointFormat& format = *known->second;
      event.kind = kind_of_name(format.name, true);
      event.fields = Fields{field_of(format, "prev_pid"), field_of(format, "prev_state"),
                            field_of(format, "next_pid"), field_of(format, "pid")};
    }
    if (event.kind == Kind::switched && attr.period != 1) is_complete_ = false;
  }
}

bool SchedulerEvents::has(Kind kind) const {
  return std::ranges::any_of(events_, [&](const Event& event) { return event.kind == kind; });
}

std::optional<std::uint64_t> SchedulerEvents::number_in(std::span<const std::byte> raw,
                                                        TracepointField field) const {
  if (field.offset > raw.size() || field.size > raw.size() - field.offset) return std::nullopt;
  const std::byte* place = raw.data() + field.offset;
  switch (field.size) {
    case 4:
      return stored_integer<std::uint32_t>(place, order_);
    case 8:
      return stored_integer<std::uint64_t>(place, order_);
    default:
      return std::nullopt;
  }
}

std::optional<SchedulerEvents::Switch> SchedulerEvents::switch_of(
    std::uint32_t number, std::span<const std::byte> raw) const {
  if (kind_of(number) != Kind::switched) return std::nullopt;
  SwitchLayout layout = {};
  if (const auto& fields = events_[number].fields) {
    layout = {0, fields->previous, fields->state, fields->next};
  } else {
    const auto usual = std::ranges::find_if(
        switch_layouts, [&](const SwitchLayout& known) { return raw.size() >= known.size; });
    if (usual == switch_layouts.end()) return std::nullopt;
    layout = *usual;
  }
  const auto previous = number_in(raw, layout.previous);
  const auto state = number_in(raw, layout.state);
  const auto next = number_in(raw, layout.next);
  if (!previous || !state || !next) return std::nullopt;
  return Switch{static_cast<std::uint32_t>(*previous), static_cast<std::uint32_t>(*next),
                (*state & waiting_states) != 0, (*state & uninterruptible) != 0};
}

std::optional<std::uint32_t> SchedulerEvents::woken_thread(std::uint32_t number,
                                                           std::span<const std::byte> raw) const {
  if (kind_of(number) != Kind::woken) return std::nullopt;
  const auto& fields = events_[number].fields;
  const auto thread = number_in(raw, fields ? fields->woken : usual_woken);
  if (!thread) return std::nullopt;
  return static_cast<std::uint32_t>(*thread);
}

}  // namespace gprof::perf_data
