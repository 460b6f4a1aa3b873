#include "engine/gmon/sidecar_parts.h"

#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "engine/support/saturating.h"
#include "formats/gmon_rules.h"

namespace gprof {
namespace {

using gprof_formats::widest_slice;

// Nobody counts the excess variance and the kernel time of arcs and stacks.
constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

std::string reference_problem(const SidecarPart& part, std::size_t wholes, const Sidecar& sidecar) {
  if (part.whole >= wholes) {
    return fmt::format("a part of one of {} entries expected, of number {} found", wholes,
                       part.whole);
  }
  if (part.thread != no_thread && part.thread >= sidecar.threads.size()) {
    return fmt::format("a part of one of {} threads expected, of number {} found",
                       sidecar.threads.size(), part.thread);
  }
  if (part.slice != no_slice && part.slice >= sidecar.slices) {
    return fmt::format("a part in one of {} slices of time expected, in number {} found",
                       sidecar.slices, part.slice);
  }
  return {};
}

std::string kernel_message(std::uint64_t most, std::uint64_t found) {
  return fmt::format("at most {} samples in the kernel expected, {} found", most, found);
}

}  // namespace

bool ComesBefore::operator()(const SidecarPart& a, const SidecarPart& b) const {
  return std::tie(a.whole, a.thread, a.slice) < std::tie(b.whole, b.thread, b.slice);
}

bool ComesBefore::operator()(const SidecarWait& a, const SidecarWait& b) const {
  return std::tie(a.stack, a.kind) < std::tie(b.stack, b.kind);
}

bool ComesBefore::operator()(const SidecarHolder& a, const SidecarHolder& b) const {
  return std::tie(a.wait, a.holder) < std::tie(b.wait, b.holder);
}

WholeCount count_of_whole(const SidecarArc& arc) { return {arc.count, any, any}; }
WholeCount count_of_whole(const SidecarSample& sample) {
  return {sample.count, sample.excess_variance, sample.kernel_count};
}
WholeCount count_of_whole(const SidecarStack& stack) { return {stack.count, any, any}; }
// One wait may be in several slices, and counts in each.
WholeCount count_of_whole(const SidecarWait& wait) { return {wait.total, any, any}; }

std::optional<EntryProblem> find_problem(const std::vector<SidecarPart>& parts,
                                         const std::vector<WholeCount>& wholes,
                                         const Sidecar& sidecar) {
  std::uint64_t count = 0;
  std::uint64_t excess = 0;
  std::uint64_t kernel = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SidecarPart& part = parts[i];
    std::string problem = reference_problem(part, wholes.size(), sidecar);
    if (!problem.empty()) return EntryProblem{i, std::move(problem)};
    if (i == 0 || parts[i - 1].whole != part.whole) count = excess = kernel = 0;
    if (i != 0 && !comes_before(parts[i - 1], part)) {
      return EntryProblem{i, "parts in ascending order expected, a smaller one found"};
    }
    count = saturating_add(count, part.count);
    excess = saturating_add(excess, part.excess_variance);
    kernel = saturating_add(kernel, part.kernel_count);
    const WholeCount& whole = wholes[part.whole];
    if (count > whole.count || excess > whole.excess_variance) {
      return EntryProblem{
          i, fmt::format("parts of at most {} in all expected, {} found", whole.count, count)};
    }
    if (kernel > whole.kernel_count) {
      return EntryProblem{i, kernel_message(whole.kernel_count, kernel)};
    }
  }
  return std::nullopt;
}

std::optional<EntryProblem> find_problem(const std::vector<SidecarWait>& waits,
                                         std::size_t stacks) {
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (waits[i].stack >= stacks) {
      return EntryProblem{i, fmt::format("a wait with one of {} stacks expected, with number {} "
                                         "found",
                                         stacks, waits[i].stack)};
    }
    if (i != 0 && comes_before(waits[i], waits[i - 1])) {
      return EntryProblem{i, "waits in ascending order expected, a smaller one found"};
    }
  }
  return std::nullopt;
}

std::optional<EntryProblem> find_problem(const std::vector<SidecarHolder>& holders,
                                         std::size_t waits, std::size_t stacks) {
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const SidecarHolder& holder = holders[i];
    if (holder.wait >= waits) {
      return EntryProblem{i, fmt::format("a holder for one of {} waits expected, for number {} "
                                         "found",
                                         waits, holder.wait)};
    }
    if (holder.holder >= stacks) {
      return EntryProblem{i, fmt::format("a holder with one of {} stacks expected, with number {} "
                                         "found",
                                         stacks, holder.holder)};
    }
    if (i != 0 && !comes_before(holders[i - 1], holder)) {
      return EntryProblem{i, "holders in ascending order expected, a smaller one found"};
    }
  }
  return std::nullopt;
}

WaitKind known_wait_kind(std::uint32_t kind) {
  constexpr auto last = static_cast<std::uint32_t>(WaitKind::cpu);
  return kind == 0 || kind > last ? WaitKind::other : static_cast<WaitKind>(kind);
}

std::string kernel_problem(const SidecarSample& sample) {
  if (sample.kernel_count <= sample.count) return {};
  return kernel_message(sample.count, sample.kernel_count);
}

std::string timeline_problem(std::uint64_t slice_width, std::uint32_t slices) {
  if (slices > gprof_formats::most_slices) {
    return fmt::format("at most {} slices of time expected, {} found", gprof_formats::most_slices,
                       slices);
  }
  if (slices != 0 && (slice_width == 0 || slice_width > widest_slice)) {
    return fmt::format("slices of 1 to {} nanoseconds expected, of {} found", widest_slice,
                       slice_width);
  }
  return {};
}

}  // namespace gprof
