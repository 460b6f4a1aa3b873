// What holds of the parts of a sidecar's arcs, samples, stacks and waits: they refer to what there
// is, are in order, and add up to no more than their wholes. And what holds of waits and of the
// holders of locks: the same but the sums.
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

// The most that the parts of one arc, sample place, stack or wait may add up to.
struct WholeCount {
  std::uint64_t count = 0;
  std::uint64_t excess_variance = 0;
  std::uint64_t kernel_count = 0;
};
[[nodiscard]] WholeCount count_of_whole(const SidecarArc& arc);
[[nodiscard]] WholeCount count_of_whole(const SidecarSample& sample);
[[nodiscard]] WholeCount count_of_whole(const SidecarStack& stack);
[[nodiscard]] WholeCount count_of_whole(const SidecarWait& wait);

struct EntryProblem {
  std::size_t entry = 0;  // the first one with which something is wrong
  std::string message;
};

// `wholes`: in the order that the parts number them in. The sidecar's threads and slices are read.
[[nodiscard]] std::optional<EntryProblem> find_problem(const std::vector<SidecarPart>& parts,
                                                       const std::vector<WholeCount>& wholes,
                                                       const Sidecar& sidecar);

// `stacks`, `waits`: how many there are.
[[nodiscard]] std::optional<EntryProblem> find_problem(const std::vector<SidecarWait>& waits,
                                                       std::size_t stacks);
[[nodiscard]] std::optional<EntryProblem> find_problem(const std::vector<SidecarHolder>& holders,
                                                       std::size_t waits, std::size_t stacks);
// What a file's number means: `other` where it is not known.
[[nodiscard]] WaitKind known_wait_kind(std::uint32_t kind);

// Of a sample's kernel_count; empty if it can be.
[[nodiscard]] std::string kernel_problem(const SidecarSample& sample);

// Of slice_width and slices; empty if they can be.
[[nodiscard]] std::string timeline_problem(std::uint64_t slice_width, std::uint32_t slices);

// The orders of the format.
struct ComesBefore {
  [[nodiscard]] bool operator()(const SidecarPart& a, const SidecarPart& b) const;
  // The same stack may wait in calls of several functions.
  [[nodiscard]] bool operator()(const SidecarWait& a, const SidecarWait& b) const;
  [[nodiscard]] bool operator()(const SidecarHolder& a, const SidecarHolder& b) const;
};
inline constexpr ComesBefore comes_before;

}  // namespace gprof
