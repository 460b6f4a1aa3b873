// Adds up the sidecars of several runs of one program, as ProfileSum does their gmon files.
//
// Modules with equal path, soname, build-id and code are one; arcs, samples, stacks and waits at
// equal places add up, threads are listed side by side, with their process and their parts; times
// and losses add up. What belongs to one run (process, bias of a library) is the first run's if
// that makes sense for a sum, else 0.
//
// Time in the sum: processes of one recording keep their distances; recordings, which ran one after
// the other, all begin at the sum's beginning. Slices are as wide as the widest of the runs, or
// twice, four times … that, so that they hold the longest; a part is in the slice that holds the
// middle of the one that it was in.
//
// Units: as in a sidecar. Ownership: owns its data; memory proportional to the sum and the run
// being added. Thread contract: one thread. Errors: mismatch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/gmon/summed_entries.h"
#include "engine/gmon/summed_time.h"
#include "engine/gmon/summed_waits.h"
#include "engine/support/expected.h"

namespace gprof {

// Saturating; keeps the longer tick period.
void add_quality(SamplingQuality& total, const SamplingQuality& other);

class SidecarSum {
 public:
  // `sum_name`: the name of the sum's gmon file; those of libraries start with it.
  explicit SidecarSum(std::string sum_name) : sum_name_(std::move(sum_name)) {}

  // `profile_name`: of the run's gmon file, without directory. `path` is for messages. Errors: a
  // run on another machine type or with another sampling rate; the sum is then unchanged.
  Expected<void> add(const Sidecar& sidecar, std::string_view profile_name,
                     const std::string& path);
  // Leaves the sum empty.
  [[nodiscard]] Sidecar take();

 private:
  using ModuleKey = std::tuple<std::string, std::string, std::string, std::uint64_t, std::uint64_t>;

  [[nodiscard]] Expected<void> check(const Sidecar& sidecar, const std::string& path) const;
  void add_process(const Sidecar& sidecar);
  // The run's modules, and its names, as indexes into the sum's.
  [[nodiscard]] std::vector<std::uint32_t> add_modules(const Sidecar& sidecar,
                                                       std::string_view profile_name);
  [[nodiscard]] std::vector<std::uint32_t> add_names(const Sidecar& sidecar);
  void add_arcs(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules,
                const std::vector<std::uint32_t>& names);
  void add_samples(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules);
  void add_stacks(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules);
  void add_waits(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules,
                 const std::vector<std::uint32_t>& names);
  void add_crashes(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules);
  void add_threads(const Sidecar& sidecar);
  [[nodiscard]] static SidecarStack renumbered_stack(SidecarStack stack,
                                                     const std::vector<std::uint32_t>& modules);
  // `places`: of the run's entries among those of the sum.
  void add_parts(const std::vector<SidecarPart>& run, const std::vector<std::uint32_t>& places,
                 std::vector<SummedPart>& parts) const;

  std::string sum_name_;
  Sidecar sum_;  // without what is in the following
  SummedEntries<SidecarArc> arcs_;
  SummedEntries<SidecarSample> samples_;
  SummedEntries<SidecarStack> stacks_;
  SummedWaits waits_;
  std::vector<SummedPart> wait_parts_;
  std::vector<SummedPart> arc_parts_;
  std::vector<SummedPart> sample_parts_;
  std::vector<SummedPart> stack_parts_;
  std::vector<SummedRun> run_times_;
  std::map<ModuleKey, std::uint32_t> modules_;
  std::map<std::string, std::uint32_t> names_;
  std::uint64_t runs_ = 0;
  std::uint64_t price_total_ = 0;  // picoseconds, over the runs that measured it
  std::uint64_t priced_runs_ = 0;
  std::uint64_t samples_without_stacks_ = 0;  // of runs without any stacks
};

}  // namespace gprof
