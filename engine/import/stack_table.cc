#include "engine/import/stack_table.h"

#include <algorithm>

#include "engine/support/index_table.h"

namespace gprof {
namespace {

std::uint32_t hash_of_frames(std::span<const ModuleAddress> frames) {
  std::uint64_t hash = frames.size();
  for (const ModuleAddress& frame : frames) {
    hash = hash_of(hash ^ frame.module, frame.address.value);
  }
  return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace

bool StackTable::is_there(const Slot& slot, std::span<const ModuleAddress> frames) const {
  const std::uint64_t depth = slot.frames & deepest;
  if (depth == deepest) return std::ranges::equal((*this)[slot.stack - 1], frames);
  return depth == frames.size() &&
         std::ranges::equal(std::span(frames_).subspan(slot.frames >> depth_bits, depth), frames);
}

std::size_t StackTable::place_of(std::span<const ModuleAddress> frames, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t place = hash & mask;; place = (place + 1) & mask) {
    const Slot& slot = slots_[place];
    if (slot.stack == 0) return place;
    if (slot.hash == hash && is_there(slot, frames)) return place;
  }
}

std::optional<std::uint32_t> StackTable::find(std::span<const ModuleAddress> frames) const {
  const Slot& slot = slots_[place_of(frames, hash_of_frames(frames))];
  if (slot.stack == 0) return std::nullopt;
  return slot.stack - 1;
}

std::uint32_t StackTable::find_or_add(std::span<const ModuleAddress> frames) {
  const std::uint32_t hash = hash_of_frames(frames);
  std::size_t place = place_of(frames, hash);
  if (slots_[place].stack != 0) return slots_[place].stack - 1;
  if (2 * (size() + 1) > slots_.size()) {
    grow();
    place = place_of(frames, hash);
  }
  const std::size_t begin = frames_.size();
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  begins_.push_back(frames_.size());
  slots_[place] = {hash, static_cast<std::uint32_t>(size()),
                   begin << depth_bits | std::min<std::uint64_t>(frames.size(), deepest)};
  return static_cast<std::uint32_t>(size() - 1);
}

void StackTable::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.stack == 0) continue;
    std::size_t place = slot.hash & mask;
    while (slots_[place].stack != 0) place = (place + 1) & mask;
    slots_[place] = slot;
  }
}

}  // namespace gprof
