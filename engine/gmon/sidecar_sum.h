// Adding up the sidecars of several runs of one program, as ProfileSum does their gmon files.
//
// Modules are one where path, soname, build-id and code are; arcs, samples and stacks of equal
// places add up, threads stand side by side, times and losses of processes add up. What is a single
// run's (process, bias of a library) is the first run's where a sum has a meaning for it, else 0.
//
// Units: as in a sidecar. Ownership: owns what it holds; memory in proportion to the sum and the
// run that is being added. Thread contract: one thread. Errors: mismatch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/support/expected.h"

namespace gprof {

// Saturating; of the tick's period the longer one.
void add_quality(SamplingQuality& total, const SamplingQuality& other);

class SidecarSum {
 public:
  // `sum_name`: what the gmon file of the sum will be called; those of libraries begin with it.
  explicit SidecarSum(std::string sum_name) : sum_name_(std::move(sum_name)) {}

  // `profile_name`: of the run's gmon file, without directory. `path` is for messages. Errors: a
  // run of another machine, or sampled at another rate; the sum is then unchanged.
  Expected<void> add(const Sidecar& sidecar, std::string_view profile_name,
                     const std::string& path);
  // The sum is empty afterwards.
  [[nodiscard]] Sidecar take();

 private:
  using ModuleKey = std::tuple<std::string, std::string, std::string, std::uint64_t, std::uint64_t>;

  [[nodiscard]] Expected<void> check(const Sidecar& sidecar, const std::string& path) const;
  void add_process(const Sidecar& sidecar);
  // The numbers in the sum of the run's modules, and of its names.
  [[nodiscard]] std::vector<std::uint32_t> add_modules(const Sidecar& sidecar,
                                                       std::string_view profile_name);
  [[nodiscard]] std::vector<std::uint32_t> add_names(const Sidecar& sidecar);
  void add_arcs(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules);
  void add_samples(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules);
  void add_stacks(const Sidecar& sidecar, const std::vector<std::uint32_t>& modules);

  std::string sum_name_;
  Sidecar sum_;
  std::map<ModuleKey, std::uint32_t> modules_;
  std::map<std::string, std::uint32_t> names_;
  std::uint64_t runs_ = 0;
  std::uint64_t price_total_ = 0;  // picoseconds, of the runs that measured it
  std::uint64_t priced_runs_ = 0;
  std::uint64_t samples_without_stacks_ = 0;  // of runs that have no stacks at all
};

}  // namespace gprof
