// The known values of registers and stack slots along a path through code; see return_path.h.
//
// Thread contract: values.
#pragma once

#include <cstdint>

#include "runtime/unwind/return_path.h"

namespace gprof_runtime {

// How an instruction continues.
enum class Flow : std::uint8_t {
  next,
  jump,     // to `target`
  branch,   // to `target` or the next instruction
  returns,  // to the caller; so does a jump to a place that only the registers know
  maybe_returns,
  ends,  // not here: traps, and what is not an instruction
};

struct PathStep {
  Flow flow = Flow::ends;
  std::uint8_t length = 0;
  std::uint64_t target = 0;
};

class PathState {
 public:
  explicit PathState(ReturnPath* path) : path_(*path) {
    path_ = ReturnPath{};
    for (unsigned i = 0; i < register_count; ++i) {
      path_.registers[i] = {PathValue::Kind::sum, static_cast<std::uint8_t>(i), 0, 0};
    }
  }

  PathValue get(unsigned number) const { return path_.registers[number]; }
  void set(unsigned number, PathValue value) {
    if (number == stack_register) value = as_base(value);
    path_.registers[number] = value;
  }
  void forget(unsigned number) { path_.registers[number] = {}; }

  // register + number
  PathValue plus(unsigned number, std::int64_t offset) const {
    PathValue value = get(number);
    std::int32_t* const part =
        value.kind == PathValue::Kind::loaded ? &value.addend : &value.offset;
    if (__builtin_add_overflow(*part, offset, part)) return {};
    return value;
  }
  void add(unsigned number, std::int64_t offset) { set(number, plus(number, offset)); }

  // The word at register + offset.
  PathValue load(unsigned base, std::int64_t offset) const {
    const PathValue address = plus(base, offset);
    if (address.kind != PathValue::Kind::sum) return {};
    for (unsigned i = 0; i < stored_; ++i) {
      if (stores_[i].base == address.base && stores_[i].offset == address.offset) {
        return stores_[i].value;
      }
    }
    return {PathValue::Kind::loaded, address.base, address.offset, 0};
  }
  // Words that do not fit are forgotten: functions save fewer registers.
  void store(unsigned base, std::int64_t offset, const PathValue& value) {
    const PathValue address = plus(base, offset);
    if (address.kind != PathValue::Kind::sum) return;
    unsigned place = 0;
    while (place < stored_ &&
           (stores_[place].base != address.base || stores_[place].offset != address.offset)) {
      ++place;
    }
    if (place == most_stores) return;
    if (place == stored_) ++stored_;
    stores_[place] = {value, address.base, address.offset};
  }

 private:
  static constexpr unsigned most_stores = 24;
  struct Store {
    PathValue value;
    std::uint8_t base;
    std::int32_t offset;
  };

  // The stack pointer is what most addresses are relative to. One that was loaded from memory
  // becomes a base of its own, once.
  PathValue as_base(const PathValue& value) {
    if (value.kind != PathValue::Kind::loaded || value.base == path_cell) return value;
    const PathValue cell = {PathValue::Kind::loaded, value.base, value.offset, 0};
    if (path_.cell.kind == PathValue::Kind::unknown) path_.cell = cell;
    if (!(path_.cell == cell)) return {};
    return {PathValue::Kind::sum, path_cell, value.addend, 0};
  }

  ReturnPath& path_;
  unsigned stored_ = 0;
  Store stores_[most_stores];
};

// The architecture's: what the instruction at `pc` does. `bytes`: longest_step of them.
#if defined(__x86_64__)
inline constexpr unsigned longest_step = 15;
#else
inline constexpr unsigned longest_step = 4;
#endif
PathStep follow_instruction(const std::uint8_t* bytes, std::uint64_t pc, PathState& state);

}  // namespace gprof_runtime
