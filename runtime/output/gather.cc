#include "runtime/output/gather.h"

#include "runtime/output/live_walk.h"

namespace gprof_runtime {
namespace {

// Tables that are read while one takes the place of another do not fit together.
struct State {
  std::uint64_t replacements;
  std::uint64_t slice_width;

  bool operator==(const State& other) const {
    return replacements == other.replacements && slice_width == other.slice_width;
  }
};

State state_of_tables() {
  const LiveHeader& header = *live::header();
  return {read_live(header.replacements), read_live(header.slice_width)};
}

bool read_counts(Gathered& into, ReadCounts& read) {
  constexpr int most_attempts = 4;
  for (int attempt = 1;; ++attempt) {
    read.arcs.shrink(0);
    read.samples.shrink(0);
    read.stack_counts.shrink(0);
    read.waits.shrink(0);
    read.holders.shrink(0);
    read.stacks.shrink(0);
    into.frames.shrink(0);
    const State before = state_of_tables();
    into.slice_width = before.slice_width;
    if (!read_arcs(into.modules, read) || !read_samples(into, read) || !read_waits(into, read) ||
        !read_stacks(into, read)) {
      return false;
    }
    if (attempt == most_attempts || state_of_tables() == before) return true;
  }
}

}  // namespace

bool gather(Gathered& into) {
  ReadCounts read;
  return into.modules.collect() && read_counts(into, read) && gather_threads(into, read) &&
         add_up_arcs(into, read) && add_up_samples(into, read) && add_up_stacks(into, read) &&
         find_crash_stack(into, read) && add_up_waits(into, read) && gather_blocks(into) &&
         into.complete();
}

}  // namespace gprof_runtime
