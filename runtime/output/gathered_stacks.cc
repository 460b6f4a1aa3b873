#include "runtime/output/gathered_stacks.h"

#include <tuple>

#include "runtime/output/array_order.h"
#include "runtime/unwind/own_image.h"

namespace gprof_runtime {
namespace {

using Frames = AnonymousArray<StackFrame>;

// Marks come before addresses in no module: 0, which is none, becomes the largest number. The marks
// of frames in modules count only if the stacks are the same otherwise.
auto key_of(const StackFrame& frame) {
  const std::uint32_t mark = frame.module == no_module ? frame.mark : 0;
  return std::tuple(frame.module, mark - 1, frame.address);
}

// Compares frames from the innermost one outwards; a prefix comes first. Negative, 0 or positive.
int compare_stacks(const Frames& frames, const GatheredStack& a, const GatheredStack& b) {
  const StackFrame* frames_a = frames.data() + a.first;
  const StackFrame* frames_b = frames.data() + b.first;
  const std::uint32_t depth = smaller(a.depth, b.depth);
  for (std::uint32_t i = 0; i < depth; ++i) {
    if (key_of(frames_a[i]) != key_of(frames_b[i])) {
      return key_of(frames_a[i]) < key_of(frames_b[i]) ? -1 : 1;
    }
  }
  if (a.depth != b.depth) return a.depth < b.depth ? -1 : 1;
  if (a.truncated != b.truncated) return a.truncated < b.truncated ? -1 : 1;
  return static_cast<int>(a.inferred_from) - static_cast<int>(b.inferred_from);
}

}  // namespace

std::uint32_t own_module(const ModuleTable& modules) {
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    if (own_image::holds_code(modules[i].record->text_low)) return i;
  }
  return no_module;
}

GatheredStack without_own_frames(Gathered& into, GatheredStack stack, std::uint32_t own) {
  const auto is_own = [&](std::uint64_t i) {
    return own != no_module && into.frames[i].module == own;
  };
  bool any = false;
  for (std::uint32_t i = 0; i < stack.depth; ++i) any = any || is_own(stack.first + i);
  if (!any || !into.frames.reserve(stack.depth)) return stack;
  const std::uint64_t first = into.frames.size();
  for (std::uint32_t i = 0; i < stack.depth; ++i) {
    if (!is_own(stack.first + i)) into.frames.append(into.frames[stack.first + i]);
  }
  stack.first = first;
  stack.depth = static_cast<std::uint32_t>(into.frames.size() - first);
  return stack;
}

bool join_equal_stacks(const Frames& frames, AnonymousArray<GatheredStack>& stacks,
                       AnonymousArray<std::uint32_t>& places) {
  sort(stacks, [&](const GatheredStack& a, const GatheredStack& b) {
    return compare_stacks(frames, a, b) < 0;
  });
  if (!stacks.complete()) return false;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const GatheredStack stack = stacks[i];
    if (kept == 0 || compare_stacks(frames, stacks[kept - 1], stack) != 0) {
      stacks[kept] = stack;
      stacks[kept].rank = kept;
      ++kept;
    } else {
      add_counts(stacks[kept - 1], stack);
    }
    places[stack.first_read] = static_cast<std::uint32_t>(kept - 1);
  }
  stacks.shrink(kept);
  sort(stacks, [](const GatheredStack& a, const GatheredStack& b) {
    return a.count != b.count ? a.count > b.count : a.rank < b.rank;
  });
  AnonymousArray<std::uint32_t> places_of_ranks;
  for (std::size_t i = 0; i < kept; ++i) places_of_ranks.append(0);
  if (!places_of_ranks.complete() || !stacks.complete()) return false;
  for (std::uint32_t i = 0; i < kept; ++i) places_of_ranks[stacks[i].rank] = i;
  for (std::uint32_t& place : places) {
    if (place != no_stack) place = places_of_ranks[place];
  }
  return true;
}

}  // namespace gprof_runtime
