// Decoded compilation units, cached up to a limit.
//
// Thread contract: any thread; a unit that two threads ask for at once may be decoded twice.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/source/unit_lines.h"

namespace gprof {

class UnitCache {
 public:
  // `debug_information` must outlive the cache. `capacity` is in bytes, approximately.
  UnitCache(const DebugInformation& debug_information, std::size_t capacity)
      : debug_information_(debug_information), capacity_(capacity) {}

  // Never null: a unit that cannot be decoded is empty (and named in the debug information's
  // warnings).
  [[nodiscard]] std::shared_ptr<const UnitLines> unit(UnitIndex index);

 private:
  struct Entry {
    std::shared_ptr<const UnitLines> unit;
    std::list<UnitIndex>::iterator position;
  };

  const DebugInformation& debug_information_;
  const std::size_t capacity_;
  std::mutex mutex_;
  std::size_t used_ = 0;
  std::list<UnitIndex> recent_;  // most recently used first
  std::unordered_map<UnitIndex, Entry> entries_;
};

}  // namespace gprof
