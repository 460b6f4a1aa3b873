// The different stacks of a recording, numbered as they come. A million samples are looked up here,
// most of them not in the processor's caches: so all frames are in one list, and a look takes two
// steps through memory.
//
// Thread contract: one thread. Errors: none; who fills it bounds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/gmon/sidecar.h"

namespace gprof {

class StackTable {
 public:
  // Frames: the innermost first.
  [[nodiscard]] std::optional<std::uint32_t> find(std::span<const ModuleAddress> frames) const;
  std::uint32_t find_or_add(std::span<const ModuleAddress> frames);

  [[nodiscard]] std::size_t size() const { return begins_.size() - 1; }
  // Of all stacks.
  [[nodiscard]] std::size_t frames() const { return frames_.size(); }
  // Valid until a stack is added.
  [[nodiscard]] std::span<const ModuleAddress> operator[](std::size_t stack) const {
    return std::span(frames_).subspan(begins_[stack], begins_[stack + 1] - begins_[stack]);
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;    // a part of it
    std::uint32_t stack = 0;   // its number + 1; 0: the slot is free
    std::uint64_t frames = 0;  // where they begin in frames_, and in the lowest bits how many
  };
  static constexpr unsigned depth_bits = 24;
  // Of a stack that is deeper, the slot does not say how many frames it has.
  static constexpr std::uint64_t deepest = (std::uint64_t{1} << depth_bits) - 1;
  static constexpr std::size_t fewest_slots = 1024;

  // The slot of the stack, or the one that it would get.
  [[nodiscard]] std::size_t place_of(std::span<const ModuleAddress> frames,
                                     std::uint32_t hash) const;
  [[nodiscard]] bool is_there(const Slot& slot, std::span<const ModuleAddress> frames) const;
  void grow();

  std::vector<ModuleAddress> frames_;
  std::vector<std::size_t> begins_ = {0};  // of each stack in frames_, and the end
  std::vector<Slot> slots_ = std::vector<Slot>(fewest_slots);
};

}  // namespace gprof
