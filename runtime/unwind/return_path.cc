#include "runtime/unwind/return_path.h"

#include "runtime/unwind/eh_frame.h"
#include "runtime/unwind/loaded_object.h"
#include "runtime/unwind/path_state.h"

namespace gprof_runtime {
namespace {

using Kind = PathValue::Kind;

constexpr std::uint64_t word = sizeof(std::uint64_t);

// Kernels that are unrolled by hand have up to some thousand instructions to their end.
constexpr unsigned most_instructions = 12000;
constexpr unsigned most_pending = 16;
constexpr unsigned most_stretches = 24;

// Registers that a function hands back as it found them; the stack pointer apart.
bool is_preserved(unsigned number) {
#if defined(__x86_64__)
  return number == 3 || number == 6 || number >= 12;
#else
  return number >= 19 && number <= 29;
#endif
}

class Follower {
 public:
  explicit Follower(ReturnPath* path) : state_(path) {}

  bool run(std::uint64_t pc) {
    enter(pc);
    begin_stretch(pc);
    for (unsigned i = 0; i < most_instructions; ++i) {
      if (was_here() && !take_pending()) return maybe_;
      // Behind a call that does not return, another function may begin.
      const std::uint8_t* const bytes = pc_ < bounds_.end ? bytes_at(pc_) : nullptr;
      const PathStep step = bytes == nullptr ? PathStep{} : follow_instruction(bytes, pc_, state_);
      if (step.flow == Flow::returns) return state_.get(stack_register).kind == Kind::sum;
      if (!go_on(step)) return false;
      if (maybe_) return true;
    }
    return false;
  }

 private:
  static constexpr std::uint64_t page_size = 4096;
  static constexpr std::uint64_t copy_size = 96;

  // A straight piece of code that was followed, [begin, end).
  struct Stretch {
    std::uint64_t begin;
    std::uint64_t end;
  };
  struct Pending {
    std::uint64_t target;
    PathValue stack;
  };

  bool go_on(const PathStep& step) {
    switch (step.flow) {
      case Flow::next:
        pc_ += step.length;
        break;
      case Flow::branch:
        // The newest ones lead out of the innermost loop.
        if (pending_count_ == most_pending) drop_oldest();
        pending_[pending_count_++] = {step.target, state_.get(stack_register)};
        pc_ += step.length;
        break;
      case Flow::jump:
        pc_ += step.length;
        end_stretch();
        return begin_stretch(step.target);
      case Flow::maybe_returns:
        // A jump to where a register says is a switch or a call in tail position: the return
        // address is where the stack pointer is, if it is the latter.
        if (take_pending()) return true;
        maybe_ = state_.get(stack_register).kind == Kind::sum;
        return maybe_;
      case Flow::ends:
      case Flow::returns:
        return take_pending();
    }
    end_stretch();
    return true;
  }

  bool take_pending() {
    while (pending_count_ != 0) {
      const Pending next = pending_[--pending_count_];
      end_stretch();
      if (!begin_stretch(next.target)) return false;
      if (was_here()) continue;
      state_.set(stack_register, next.stack);
      return true;
    }
    return false;
  }

  void drop_oldest() {
    for (unsigned i = 1; i < pending_count_; ++i) pending_[i - 1] = pending_[i];
    --pending_count_;
  }

  void enter(std::uint64_t pc) {
    LoadedObject object;
    in_object_ = find_object(pc, &object);
    bounds_ = code_bounds(pc);
  }

  bool begin_stretch(std::uint64_t pc) {
    pc_ = pc;
    if (pc < bounds_.begin || pc >= bounds_.end) enter(pc);
    if (stretch_count_ == most_stretches) return false;
    stretches_[stretch_count_++] = {pc, pc};
    return true;
  }
  void end_stretch() { stretches_[stretch_count_ - 1].end = pc_; }
  bool was_here() const {
    for (unsigned i = 0; i < stretch_count_; ++i) {
      if (pc_ >= stretches_[i].begin && pc_ < stretches_[i].end) return true;
    }
    return false;
  }

  // Null if they cannot be read.
  const std::uint8_t* bytes_at(std::uint64_t pc) {
    const bool readable = in_object_ && memory_.covers(pc, longest_step);
    return readable ? reinterpret_cast<const std::uint8_t*>(pc) : copied_bytes_at(pc);
  }

  // A copy, for generated code, which may be unmapped at any time, and for the end of a mapping.
  // Bytes that cannot be read are zero.
  const std::uint8_t* copied_bytes_at(std::uint64_t pc) {
    if (pc >= copied_ && pc - copied_ <= copy_size - longest_step) return copy_ + (pc - copied_);
    for (std::uint8_t& byte : copy_) byte = 0;
    copied_ = pc;
    if (copy_memory(pc, copy_size, copy_)) return copy_;
    const std::uint64_t to_end = page_size - pc % page_size;
    if (to_end >= copy_size || !copy_memory(pc, to_end, copy_)) {
      copied_ = ~std::uint64_t{0};
      return nullptr;
    }
    return copy_;
  }

  PathState state_;
  ReadableMemory memory_;
  CodeBounds bounds_;
  std::uint64_t pc_ = 0;
  unsigned pending_count_ = 0;
  unsigned stretch_count_ = 0;
  bool maybe_ = false;
  bool in_object_ = false;
  std::uint64_t copied_ = ~std::uint64_t{0};
  std::uint8_t copy_[copy_size];
  Pending pending_[most_pending];
  Stretch stretches_[most_stretches];
};

class Evaluator {
 public:
  Evaluator(const ReturnPath& path, const Registers& registers, ReadableMemory& memory)
      : path_(path), registers_(registers), memory_(memory) {}

  bool base(std::uint8_t number, std::uint64_t* value) {
    if (number < register_count) {
      *value = registers_.general[number];
      return true;
    }
    return path_.cell.base < register_count &&
           memory_.read(registers_.general[path_.cell.base] + extended(path_.cell.offset), value);
  }

  bool evaluate(const PathValue& value, std::uint64_t* number, std::uint64_t* slot) {
    *slot = 0;
    if (value.kind == Kind::unknown || !base(value.base, number)) return false;
    *number += extended(value.offset);
    if (value.kind == Kind::sum) return true;
    *slot = *number;
    if (!memory_.read(*slot, number)) return false;
    *number += extended(value.addend);
    return true;
  }

 private:
  static std::uint64_t extended(std::int32_t offset) {
    return static_cast<std::uint64_t>(std::int64_t{offset});
  }

  const ReturnPath& path_;
  const Registers& registers_;
  ReadableMemory& memory_;
};

}  // namespace

[[gnu::noinline]] bool find_return_path(std::uint64_t pc, ReturnPath* path) {
  return Follower(path).run(pc);
}

bool evaluate_path(const ReturnPath& path, const Registers& registers, ReadableMemory& memory,
                   Registers* caller, std::uint64_t* slot) {
  Evaluator evaluator(path, registers, memory);
  std::uint64_t stack = 0;
  std::uint64_t unused = 0;
  if (!evaluator.evaluate(path.stack(), &stack, &unused)) return false;
  *caller = registers;
  for (unsigned i = 0; i < register_count; ++i) {
    // A register that cannot be evaluated is left out; only an outer frame that uses it is
    // affected.
    std::uint64_t value = 0;
    if (is_preserved(i) && evaluator.evaluate(path.registers[i], &value, &unused)) {
      caller->general[i] = value;
    }
  }
#if defined(__x86_64__)
  *slot = stack;
  caller->general[stack_register] = stack + word;
  return memory.read(stack, &caller->pc);
#else
  if (!evaluator.evaluate(path.registers[return_column], &caller->pc, slot)) return false;
  caller->general[return_column] = caller->pc;
  caller->general[stack_register] = stack;
  return true;
#endif
}

bool rules_of_path(const ReturnPath& path, FrameRules* rules) {
  const PathValue stack = path.stack();
  if (stack.kind != Kind::sum || stack.base >= register_count) return false;
  *rules = FrameRules{};
  rules->cfa_register = stack.base;
#if defined(__x86_64__)
  rules->cfa_offset = stack.offset + static_cast<std::int32_t>(word);
  rules->columns[return_column] = {RuleKind::saved_at_offset, -static_cast<std::int32_t>(word)};
#else
  rules->cfa_offset = stack.offset;
#endif
  for (unsigned i = 0; i < register_count; ++i) {
    const PathValue& value = path.registers[i];
    const bool follows = is_preserved(i) || i == return_column;
    if (!follows || (value.kind == Kind::sum && value.base == i && value.offset == 0)) continue;
    if (value.kind == Kind::unknown) {
      if (i == return_column) return false;
      continue;
    }
    if (value.base != stack.base || value.addend != 0) return false;
    rules->columns[i] = {
        value.kind == Kind::sum ? RuleKind::offset_from_cfa : RuleKind::saved_at_offset,
        value.offset - rules->cfa_offset};
  }
  return true;
}

}  // namespace gprof_runtime
