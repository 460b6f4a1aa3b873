#include <tuple>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"
#include "runtime/output/gather.h"
#include "runtime/output/gathered_parts.h"
#include "runtime/output/live_walk.h"

namespace gprof_runtime {
namespace {

auto place_of(const SamplePlace& sample) { return std::tie(sample.module, sample.address); }
auto key_of(const ReadSample& sample) {
  return std::tie(sample.place.module, sample.place.address, sample.thread, sample.slice);
}

}  // namespace

bool read_samples(Gathered& into, ReadCounts& read) {
  const bool found = each_valid_table(ChunkKind::samples, [&](ChunkHeader* chunk) {
    const SampleEntry* entries = live::entries<SampleEntry>(chunk);
    const std::size_t size = entries_in<SampleEntry>(chunk, false);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t count = read_live(entries[i].count);
      if (count == 0) continue;
      const ModuleAddress place = into.modules.resolve(entries[i].address, entries[i].epoch);
      // The thread may just be adding to both.
      const std::uint64_t kernel_count = smaller(count, read_live(entries[i].kernel_count));
      read.samples.append(
          {{place.module, 0, place.address, count, read_live(entries[i].excess_variance),
            kernel_count},
           entries[i].thread,
           joined_slice(entries[i].slice, slice_width_of(*chunk), into.slice_width)});
    }
  });
  return found && read.samples.complete();
}

bool add_up_samples(Gathered& into, ReadCounts& read) {
  for (ReadSample& sample : read.samples) sample.thread = place_of_thread(into, sample.thread);
  sort(read.samples,
       [](const ReadSample& a, const ReadSample& b) { return key_of(a) < key_of(b); });
  for (const ReadSample& sample : read.samples) {
    const SamplePlace& place = sample.place;
    const std::size_t last = into.samples.size();
    const bool known = last != 0 && place_of(into.samples[last - 1]) == place_of(place);
    if (!known && !into.samples.append(place)) return false;
    if (known) add_counts(into.samples[last - 1], place);
    into.totals.samples = saturating_sum(into.totals.samples, place.count);
    if (sample.thread == no_thread && sample.slice == no_slice) continue;
    add_part(into.sample_parts, {.whole = static_cast<std::uint32_t>(into.samples.size() - 1),
                                 .thread = sample.thread,
                                 .slice = sample.slice,
                                 .kernel_count = kernel_count_of_part(place.kernel_count),
                                 .count = place.count,
                                 .excess_variance = place.excess_variance});
    note_slice(into, sample.slice);
  }
  return read.samples.complete() && into.sample_parts.complete();
}

}  // namespace gprof_runtime
