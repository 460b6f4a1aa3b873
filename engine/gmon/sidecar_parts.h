// What holds of the parts of a sidecar's arcs, samples and stacks: they refer to what there is, are
// in order, and add up to no more than their wholes.
//
// Units: indices into the sidecar's lists. Thread contract: pure functions. Errors: told by value,
// for the one who reads or writes the file to add where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/gmon/sidecar.h"

namespace gprof {

// The most that the parts of one arc, sample place or stack may add up to.
struct WholeCount {
  std::uint64_t count = 0;
  std::uint64_t excess_variance = 0;
};
[[nodiscard]] WholeCount count_of_whole(const SidecarArc& arc);
[[nodiscard]] WholeCount count_of_whole(const SidecarSample& sample);
[[nodiscard]] WholeCount count_of_whole(const SidecarStack& stack);

struct PartsProblem {
  std::size_t part = 0;  // the first one with which something is wrong
  std::string message;
};

// `wholes`: in the order that the parts number them in. The sidecar's threads and slices are read.
[[nodiscard]] std::optional<PartsProblem> find_problem(const std::vector<SidecarPart>& parts,
                                                       const std::vector<WholeCount>& wholes,
                                                       const Sidecar& sidecar);

// Of slice_width and slices; empty if they can be.
[[nodiscard]] std::string timeline_problem(std::uint64_t slice_width, std::uint32_t slices);

// The order of parts.
[[nodiscard]] bool comes_before(const SidecarPart& a, const SidecarPart& b);

}  // namespace gprof
