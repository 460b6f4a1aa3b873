#include "engine/gmon/collected_stacks.h"

#include <algorithm>
#include <utility>

#include "engine/gmon/summed_entries.h"
#include "formats/gmon_rules.h"

namespace gprof {
namespace {

namespace stack_mark = gprof_formats::stack_mark;

// A word of a live stack that is no address, in the terms of sidecars. A repetition whose group
// does not stand before it is nothing that could be unfolded: its frames are left out.
ModuleAddress frames_by_mark(std::uint64_t word, const std::vector<ModuleAddress>& before) {
  const std::uint64_t length = stack_mark::length_of(word);
  const Address count{stack_mark::count_of(word)};
  const auto last_mark = std::find_if(before.rbegin(), before.rend(),
                                      [](const ModuleAddress& place) { return place.is_mark(); });
  const bool known = length != 0 && length <= stack_marks::longest_group &&
                     length <= static_cast<std::uint64_t>(last_mark - before.rbegin());
  if (!stack_mark::is_repeat(word) || !known) return {stack_marks::left_out, count};
  return {stack_marks::repeat + static_cast<std::uint32_t>(length), count};
}

}  // namespace

SidecarStack resolved_stack(const LiveStack& stack, LiveModules& modules) {
  SidecarStack resolved;
  resolved.count = stack.count;
  resolved.truncated = stack.truncated;
  resolved.frames.reserve(stack.frames.size());
  for (const std::uint64_t frame : stack.frames) {
    const bool is_address = !stack_mark::is_mark(frame) || resolved.frames.empty();
    resolved.frames.push_back(is_address ? modules.resolve(frame, stack.epoch)
                                         : frames_by_mark(frame, resolved.frames));
  }
  // As the collector writes it: files have room for it only at a frame in a module.
  for (std::size_t i = stack.inferred_from; i != 0 && i < resolved.frames.size(); ++i) {
    if (resolved.frames[i].is_mark() || resolved.frames[i].module == no_module) continue;
    resolved.inferred_from = static_cast<std::uint32_t>(i);
    break;
  }
  return resolved;
}

SidecarStack resolved_without_collector(const LiveStack& stack, LiveModules& modules,
                                        const std::vector<SidecarModule>& known) {
  SidecarStack resolved = resolved_stack(stack, modules);
  std::erase_if(resolved.frames, [&](const ModuleAddress& frame) {
    return frame.module < known.size() && is_collector(known[frame.module].soname);
  });
  return resolved;
}

std::vector<std::uint32_t> join_equal_stacks(std::vector<SidecarStack>& stacks) {
  SummedEntries<SidecarStack> sum;
  std::vector<std::uint32_t> places;
  places.reserve(stacks.size());
  for (SidecarStack& stack : stacks) places.push_back(sum.add(std::move(stack)));
  std::vector<std::uint32_t> ordered;
  stacks = put_in_order(sum.take(), ordered, is_stack_before);
  for (std::uint32_t& place : places) place = ordered[place];
  return places;
}

}  // namespace gprof
