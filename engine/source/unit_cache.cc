#include "engine/source/unit_cache.h"

namespace gprof {

std::shared_ptr<const UnitLines> UnitCache::unit(UnitIndex index) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(index);
    if (found != entries_.end()) {
      recent_.splice(recent_.begin(), recent_, found->second.position);
      return found->second.unit;
    }
  }
  auto rows = debug_information_.rows(index);
  auto functions = debug_information_.functions(index);
  auto unit =
      std::make_shared<const UnitLines>(rows ? line_extents(*rows) : std::vector<LineExtent>(),
                                        functions ? std::move(*functions) : UnitFunctions());

  const std::lock_guard lock(mutex_);
  if (entries_.contains(index)) return entries_[index].unit;
  recent_.push_front(index);
  entries_[index] = {unit, recent_.begin()};
  used_ += unit->footprint();
  while (used_ > capacity_ && recent_.size() > 1) {
    const auto oldest = entries_.find(recent_.back());
    used_ -= oldest->second.unit->footprint();
    entries_.erase(oldest);
    recent_.pop_back();
  }
  return unit;
}

}  // namespace gprof
