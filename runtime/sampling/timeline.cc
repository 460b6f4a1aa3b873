#include "runtime/sampling/timeline.h"

#include "formats/gmon_rules.h"
#include "runtime/storage/live_file.h"
#include "runtime/storage/process_facts.h"
#include "runtime/system/vdso.h"

namespace gprof_runtime::sampler {
namespace {

// The monotonic clock's time at the header's start_time; written by start_timeline(). The realtime
// clock may be set while the program runs.
std::uint64_t begun = 0;

}  // namespace

void start_timeline() {
  find_fast_clock();
  LiveHeader& header = *live::header();
  const std::uint64_t now = monotonic_time();
  const std::uint64_t realtime = realtime_nanoseconds();
  const std::uint64_t passed =
      realtime > header.start_time && header.start_time != 0 ? realtime - header.start_time : 0;
  begun = now > passed ? now - passed : now;
  header.slice_width = now != 0 ? first_slice_width : 0;
}

std::uint64_t elapsed_time() {
  const std::uint64_t now = monotonic_time();
  return now != 0 && now >= begun ? now - begun : unknown_time;
}

std::uint64_t elapsed_at(std::uint64_t monotonic) {
  if (monotonic == 0) return unknown_time;
  return monotonic > begun ? monotonic - begun : 0;
}

std::uint64_t slice_width_at(std::uint64_t elapsed) {
  std::uint64_t* current = &live::header()->slice_width;
  for (;;) {
    const std::uint64_t width = __atomic_load_n(current, __ATOMIC_RELAXED);
    const bool fits = elapsed == unknown_time || width == 0 || elapsed / most_slices < width;
    if (fits || width > widest_slice / 2) return width;
    widen_slices(width);
  }
}

void widen_slices(std::uint64_t width) {
  if (width == 0 || width > widest_slice / 2) return;
  __atomic_compare_exchange_n(&live::header()->slice_width, &width, 2 * width, false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

std::uint32_t slice_at(std::uint64_t elapsed, std::uint64_t width) {
  if (elapsed == unknown_time || width == 0) return no_slice;
  const std::uint64_t slice = elapsed / width;
  return slice < no_slice ? static_cast<std::uint32_t>(slice) : no_slice;
}

}  // namespace gprof_runtime::sampler
