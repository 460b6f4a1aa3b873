// From the samples and waits of an importer to the lists of a sidecar.
//
// Thread contract: pure functions. Errors: none; sums saturate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/import/imported_profile.h"
#include "engine/import/stack_table.h"
#include "engine/profile/wait_metrics.h"

namespace gprof {

// Orders parts by whole, thread and slice, and adds up those that agree in all three. `wholes`: how
// many there are.
void join_parts(std::vector<SidecarPart>& parts, std::size_t wholes);

// Sets the sampled places and their parts. `of_stacks`: parts whose wholes are stacks; `places`:
// the sampled place of each stack.
void set_samples(Sidecar& sidecar, const std::vector<SidecarPart>& of_stacks,
                 const std::vector<ModuleAddress>& places);

// Sets the stacks that have samples, in descending order of their counts, and their parts, whose
// wholes index `table`. `truncated`: by stack.
void set_stacks(Sidecar& sidecar, std::vector<SidecarPart> parts, const StackTable& table,
                const std::vector<bool>& truncated);

// Collects the waits of a recording from costs and makes the sidecar's lists of them.
class WaitList {
 public:
  // `stack`: as a table numbers it.
  void add(const WaitMetric& metric, std::uint32_t stack, std::uint32_t thread, std::uint32_t slice,
           std::uint64_t amount);
  // Sets the sidecar's waits, their parts, stacks and names. Call it once. `truncated`: by stack.
  void give_to(Sidecar& sidecar, const StackTable& table, const std::vector<bool>& truncated);

 private:
  std::vector<std::string> names_ = {""};
  std::map<std::string, std::uint32_t, std::less<>> name_numbers_ = {{"", 0}};
  using WaitKey = std::tuple<std::uint32_t, WaitKind, std::uint32_t>;  // stack, kind, name
  std::map<WaitKey, std::uint32_t> wait_numbers_;
  std::vector<SidecarWait> waits_;
  std::vector<SidecarPart> parts_;
};

// Sets what the process and its threads have of the samples, from their parts; and the number of
// the process if all threads belong to one.
void add_up_samples(Sidecar& sidecar);

// Sets the histograms, which hold the samples in the program, the sidecar's first module.
void set_histograms(ImportedProfile& profile);

}  // namespace gprof
