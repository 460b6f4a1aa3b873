// What was read of a program's profiles, kept so that parts of it can be looked at: which runs
// there are, whose and when, and by which metrics of cost.
//
// Times of runs: those that overlap by the clock are of one run, and begin as far apart as they
// did; others are laid on top of each other, each beginning at 0.
//
// Units: seconds since the run began. Ownership: owns its data. Thread contract: immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/analysis/external_functions.h"
#include "engine/metrics/metric.h"
#include "engine/profile_files.h"
#include "engine/selection.h"

namespace gprof {

struct RecordedRun {
  std::string path;
  // Of its first metric of cost, and the others. The only run of a recording has no counts in
  // `raw`: the whole profile has taken them.
  ProfileFile file;
  // Of the file's sidecar, and of those of its others; never null.
  std::shared_ptr<const ExternalFunctions> functions;
  std::vector<std::shared_ptr<const ExternalFunctions>> other_functions;
  // The number of each of the sidecar's stacks in the whole profile's StackSamples.
  std::vector<std::uint32_t> stack_numbers;
  Seconds begin = 0;
  std::uint32_t process = 0;  // where a thread says no other

  // By metric of cost; null if the file has not that one. It lives as long as the run, or is made
  // of its waits: `with_idle` as in waiting.h.
  [[nodiscard]] std::shared_ptr<const ProfileFile> by(std::string_view cost,
                                                      bool with_idle = false) const;
  // The file that has the threads and slices which by() is divided into; null as there.
  [[nodiscard]] const ProfileFile* divided_as(std::string_view cost) const;
  [[nodiscard]] const ExternalFunctions& functions_by(std::string_view cost) const;

 private:
  // As it was read.
  [[nodiscard]] const ProfileFile* read_by(std::string_view cost) const;
};

class Recording {
 public:
  explicit Recording(std::vector<RecordedRun> runs);

  [[nodiscard]] const std::vector<RecordedRun>& runs() const { return runs_; }
  // Of cost: those of all files, each once; never empty.
  [[nodiscard]] const std::vector<Metric>& metrics() const { return metrics_; }
  [[nodiscard]] const Dimensions& dimensions() const { return dimensions_; }

 private:
  class Describer;

  void lay_out();

  std::vector<RecordedRun> runs_;
  std::vector<Metric> metrics_;
  Dimensions dimensions_;
};

// The profile without its counts.
[[nodiscard]] RawProfile header_of(const RawProfile& raw);
// What can be selected of profiles of which no more than the names is known.
[[nodiscard]] Dimensions dimensions_of(const std::vector<std::string>& paths);

}  // namespace gprof
