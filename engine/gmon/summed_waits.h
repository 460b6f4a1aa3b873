// Waits of several sidecars, added up: those with equal stacks, kinds and functions are one.
//
// Ownership: owns the entries. Thread contract: one thread. Errors: none; times saturate.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/gmon/summed_entries.h"

namespace gprof {

class SummedWaits {
 public:
  // Each returns the entry's place in the list. A wait's stack and a holder's wait and stack are
  // such places.
  std::uint32_t add(SidecarStack stack) { return stacks_.add(std::move(stack)); }
  std::uint32_t add(const SidecarWait& wait);
  void add(const SidecarHolder& holder);

  // Moves the stacks, waits and holders into the sum, in the order of the format, and returns where
  // each wait is there. The lists are empty afterwards.
  [[nodiscard]] std::vector<std::uint32_t> take(Sidecar& sum);

 private:
  using WaitKey = std::tuple<std::uint32_t, WaitKind, std::uint32_t>;  // stack, kind, function

  SummedEntries<SidecarStack> stacks_;
  std::vector<SidecarWait> waits_;
  std::map<WaitKey, std::uint32_t> places_;  // in waits_
  // By wait and holder.
  std::map<std::pair<std::uint32_t, std::uint32_t>, SidecarHolder> holders_;
};

}  // namespace gprof
