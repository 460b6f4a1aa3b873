#include "engine/report/printed_parts.h"

namespace gprof {

const PrintedPart* PartsAhead::take(std::size_t part) {
  std::unique_lock lock(mutex_);
  turn_ = part;
  changed_.notify_all();
  if (part % 2 == 0) return nullptr;
  if (next_ == part) {
    next_ += 2;
    return nullptr;
  }
  Slot& slot = slot_of(part);
  changed_.wait(lock, [&] { return slot.finished; });
  slot.finished = false;
  return slot.printed ? &slot.part : nullptr;
}

void PartsAhead::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

std::optional<std::size_t> PartsAhead::claim() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || next_ <= turn_ + most_ahead; });
  if (stopped_ || next_ >= count_) return std::nullopt;
  const std::size_t part = next_;
  next_ += 2;
  return part;
}

PrintedPart& PartsAhead::room_for(std::size_t part) {
  PrintedPart& room = slot_of(part).part;
  room.text.clear();
  room.ranges.clear();
  return room;
}

void PartsAhead::finish(std::size_t part, bool printed) {
  const std::lock_guard lock(mutex_);
  slot_of(part).finished = true;
  slot_of(part).printed = printed;
  changed_.notify_all();
}

}  // namespace gprof
