#include "engine/gmon/summed_time.h"

#include <algorithm>
#include <numeric>

#include "formats/gmon_rules.h"

namespace gprof {
namespace {

using gprof_formats::most_slices;
using gprof_formats::widest_slice;

// Between a process and the next one of the same recording.
constexpr std::uint64_t longest_pause = 60'000'000'000;
constexpr std::uint64_t longest_recording = std::uint64_t{1} << 61U;

// Whether both are of one recording; the first began before.
bool belong_together(const SummedRun& first, const SummedRun& next) {
  if (next.start_time < first.end_time) return true;
  if (first.end_time == 0 || next.start_time - first.end_time > longest_pause) return false;
  const bool same_process = first.process != 0 && first.process == next.process &&
                            first.process_start == next.process_start && first.process_start != 0;
  return same_process ||
         (first.recorded_process != 0 && first.recorded_process == next.recorded_process);
}

// The end of the run in the sum.
std::uint64_t end_in_sum(const SummedRun& run) { return run.offset + run.slices * run.slice_width; }

std::uint64_t slices_up_to(std::uint64_t time, std::uint64_t width) {
  return time == 0 ? 0 : (time - 1) / width + 1;
}

// By start; a run that belongs to any before it belongs to their recording.
void set_offsets(std::vector<SummedRun>& runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return runs[a].start_time < runs[b].start_time;
  });
  const SummedRun* begin = nullptr;  // of the recording
  const SummedRun* last = nullptr;   // the one of it that ends last
  for (const std::size_t index : order) {
    SummedRun& run = runs[index];
    const bool continues = last != nullptr && belong_together(*last, run) &&
                           run.start_time - begin->start_time <= longest_recording;
    if (!continues) begin = last = &run;
    run.offset = run.start_time - begin->start_time;
    if (run.end_time > last->end_time) last = &run;
  }
}

}  // namespace

SummedRun run_time_of(const Sidecar& sidecar) {
  return {.start_time = sidecar.process.start_time,
          .end_time = sidecar.process.end_time,
          .slice_width = sidecar.slice_width,
          .slices = sidecar.slices,
          .process = sidecar.process.process,
          .process_start = sidecar.process.process_start,
          .recorded_process = sidecar.process.recorded_process};
}

SummedTime lay_out(std::vector<SummedRun>& runs) {
  set_offsets(runs);
  SummedTime sum;
  std::uint64_t end = 0;
  for (const SummedRun& run : runs) {
    if (run.slices == 0) continue;
    sum.slice_width = std::max(sum.slice_width, run.slice_width);
    end = std::max(end, end_in_sum(run));
  }
  if (sum.slice_width == 0) return {};
  while (slices_up_to(end, sum.slice_width) > most_slices) sum.slice_width *= 2;
  if (sum.slice_width > widest_slice) return {};
  sum.slices = static_cast<std::uint32_t>(slices_up_to(end, sum.slice_width));
  return sum;
}

std::uint32_t slice_in_sum(std::uint32_t slice, const SummedRun& run, const SummedTime& sum) {
  if (slice == no_slice || sum.slice_width == 0) return no_slice;
  const std::uint64_t middle = run.offset + slice * run.slice_width + run.slice_width / 2;
  const std::uint64_t found = middle / sum.slice_width;
  return found < sum.slices ? static_cast<std::uint32_t>(found) : no_slice;
}

}  // namespace gprof
