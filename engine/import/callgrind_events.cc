#include "engine/import/callgrind_events.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace gprof {
namespace {

// The prefixes of event names, and the units they stand for.
struct EventUnit {
  std::string_view event;
  std::string_view dimension;
  char abbreviation;
};
constexpr std::array<EventUnit, 3> units = {
    {{"Ir", "instructions", 'I'}, {"Cycle", "cycles", 'c'}, {"Dr", "data reads", 'r'}}};

// What callgrind counts; it does not say in its files.
struct EventMeaning {
  std::string_view event;
  std::string_view meaning;
};
constexpr std::array<EventMeaning, 17> meanings = {
    {{"Ir", "instructions executed"},
     {"Dr", "data reads"},
     {"Dw", "data writes"},
     {"I1mr", "instruction misses of the first-level cache"},
     {"D1mr", "read misses of the first-level cache"},
     {"D1mw", "write misses of the first-level cache"},
     {"ILmr", "instruction misses of the last-level cache"},
     {"DLmr", "read misses of the last-level cache"},
     {"DLmw", "write misses of the last-level cache"},
     {"Bc", "conditional branches"},
     {"Bcm", "conditional branches mispredicted"},
     {"Bi", "indirect branches"},
     {"Bim", "indirect branches mispredicted"},
     {"Ge", "global bus events"},
     {"sysCount", "system calls"},
     {"sysTime", "time in system calls"},
     {"sysCpuTime", "CPU time in system calls"}}};

}  // namespace

void describe_callgrind_event(const CallgrindEvent& event, ImportedProfile& profile) {
  RawProfile& raw = profile.raw;
  raw.rate = 1;
  raw.dimension = event.name;
  raw.dimension_abbreviation = event.name.front();
  for (const EventUnit& unit : units) {
    if (!event.name.starts_with(unit.event)) continue;
    raw.dimension = unit.dimension;
    raw.dimension_abbreviation = unit.abbreviation;
  }
  std::string_view meaning = event.long_name;
  for (const EventMeaning& known : meanings) {
    if (meaning.empty() && event.name == known.event) meaning = known.meaning;
  }
  profile.metric = {
      event_metric_name(event.name),
      meaning.empty() ? std::string(event.name) : fmt::format("{}: {}", event.name, meaning),
      raw.dimension, MetricKind::exact,
      event.formula.empty() ? "exact: counted by callgrind"
                            : fmt::format("exact: counted by callgrind as {}", event.formula)};
}

}  // namespace gprof
