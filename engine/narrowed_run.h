// The part of one run that a selection chooses, as a profile file of its own.
//
// A run of which all is chosen is taken as it was read. Of others, samples and stacks are those of
// the chosen threads and slices, and calls those of the chosen threads; what several threads have
// together, and what has no known time, is chosen by no selection of threads or time. A slice is in
// a stretch of time in which it begins, so that stretches without gaps share out all samples.
// Executions of blocks are not told apart, and neither are calls in time.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/recording.h"
#include "engine/selection.h"

namespace gprof {

class RunPart {
 public:
  // `file`: the run's by one of its metrics. `selection` has passed check_selection().
  RunPart(const RecordedRun& run, const ProfileFile& file, const Selection& selection);

  [[nodiscard]] bool is_all() const { return all_; }
  [[nodiscard]] bool is_nothing() const { return !all_ && threads_.empty(); }
  // Whether calls are chosen as well: they have no time.
  [[nodiscard]] bool has_calls() const { return all_ || (!of_time_ && !threads_.empty()); }
  // Of samples and stacks.
  [[nodiscard]] bool has(const SidecarPart& part) const {
    return all_ || (has_thread(part.thread) && has_slice(part.slice));
  }
  [[nodiscard]] bool has_thread(std::uint32_t thread) const {
    return thread < threads_.size() ? threads_[thread] : any_thread_;
  }

 private:
  [[nodiscard]] bool has_slice(std::uint32_t slice) const {
    return !of_time_ || (slice >= first_slice_ && slice < end_slice_);
  }
  void choose_slices(Seconds begin, std::uint64_t width, const Selection& selection);
  void choose_counted(const RecordedRun& run, const ProfileFile& file, const Selection& selection);

  bool all_ = false;
  bool any_thread_ = false;  // also what several threads have together
  bool of_time_ = false;
  std::vector<bool> threads_;  // by their place in the file; empty: nothing is chosen
  std::uint64_t first_slice_ = 0;
  std::uint64_t end_slice_ = 0;
};

struct NarrowedRun {
  ProfileFile file;  // without parts
  // What is chosen of each of the run's stacks; empty if it has none.
  std::vector<std::uint64_t> stacks;
};

// `file` is the run's by one of its metrics of cost; `part` is neither all nor nothing. The
// sidecar has stacks only if they are asked for.
[[nodiscard]] NarrowedRun narrowed(const ProfileFile& file, const RunPart& part, bool with_stacks);
// Sets the counts of the file's own code to what its sidecar says of it.
void count_from_sidecar(ProfileFile& file);
// All of it, as it was read.
[[nodiscard]] NarrowedRun whole_run(const ProfileFile& file);

}  // namespace gprof
