#include "runtime/unwind/unwinder.h"

#include "runtime/unwind/eh_frame.h"
#include "runtime/unwind/expression.h"
#include "runtime/unwind/frame_rules.h"
#include "runtime/unwind/known_code.h"
#include "runtime/unwind/loaded_object.h"
#include "runtime/unwind/own_frames.h"
#include "runtime/unwind/rule_cache.h"

namespace gprof_runtime {
namespace {

constexpr std::uint64_t word = sizeof(std::uint64_t);
constexpr std::uint64_t largest_frame = std::uint64_t{1} << 30U;
// The stack pointer may go anywhere at a signal frame, so this limit is what ends circular walks.
constexpr std::uint32_t most_signal_frames = 16;

// Return addresses may carry a signature in their upper bits. The instruction that strips it has no
// effect on processors without signatures or on unsigned addresses.
std::uint64_t without_signature(std::uint64_t address) {
#if defined(__aarch64__)
  register std::uint64_t x30 asm("x30") = address;
  asm("hint #7" : "+r"(x30));  // xpaclri
  return x30;
#else
  return address;
#endif
}

std::uint64_t plus(std::uint64_t address, std::int32_t offset) {
  return address + static_cast<std::uint64_t>(std::int64_t{offset});
}

}  // namespace

void prepare_unwinding() { own_frames::prepare(); }

Unwinder::Unwinder(const Registers& registers, bool exact_pc, RuleCache* cache, std::uint64_t epoch,
                   const ReadableMemory& memory)
    : registers_(registers),
      memory_(memory),
      epoch_(epoch),
      cache_(cache),
      pc_is_return_address_(!exact_pc) {}

bool Unwinder::step() {
  if (complete_ || registers_.pc == 0) return end();
  // The call that returns to pc may be the last instruction of its function.
  const std::uint64_t address = pc_is_return_address_ ? registers_.pc - 1 : registers_.pc;
  PackedRule rule;
  if (cache_ != nullptr && rule_cache::find(*cache_, address, epoch_, &rule)) [[likely]] {
    return step_by_packed(rule);
  }
  lacks_rule_ = known_rules_only_;
  return !lacks_rule_ && step_by_information(address);
}

bool Unwinder::end() {
  complete_ = true;
  return false;
}

// Stacks grow down: the caller's frame is above. Only the innermost code may have nothing on the
// stack and its return address in a register: before saving it, and just before jumping to an
// exception handler.
bool Unwinder::is_sane(std::uint64_t cfa) const {
  const std::uint64_t grown = cfa - registers_.sp();
  if (grown == 0 && !is_live_) return false;
  return cfa % word == 0 && grown <= largest_frame;
}

// All registers but pc are the caller's already.
bool Unwinder::arrive(std::uint64_t pc, std::uint64_t slot) {
  registers_.pc = pc;
  return_slot_ = slot;
  pc_is_return_address_ = true;
  left_signal_handler_ = false;
  is_live_ = false;
  return pc != 0 || end();
}

bool Unwinder::arrive_interrupted(const Caller& caller) {
  if (++signal_frames_ > most_signal_frames) return false;
  registers_ = caller.registers;
  return_slot_ = caller.slot;
  pc_is_return_address_ = false;
  left_signal_handler_ = true;
  is_live_ = true;
  return registers_.pc != 0 || end();
}

void Unwinder::remember(std::uint64_t address, const PackedRule& rule) {
  if (cache_ != nullptr) rule_cache::store(*cache_, address, epoch_, rule);
}

bool Unwinder::step_by_packed(const PackedRule& rule) {
  if (rule.kind != PackedKind::common) [[unlikely]] {
    return rule.kind == PackedKind::outermost ? end() : step_by_frame_pointer();
  }
  const std::uint64_t cfa = plus(registers_.general[rule.cfa_register], rule.cfa_offset);
  const std::uint64_t base = cfa - rule.base * word;
  const std::uint64_t size = rule.deepest * word;
  if (!is_sane(cfa) || (size != 0 && !memory_.covers(base - size, size))) return false;

  std::uint64_t pc = 0;
  std::uint64_t slot = 0;
  if (const std::uint64_t place = rule.places & 0xffU; place != 0) [[likely]] {
    slot = base - place * word;
    pc = ReadableMemory::read_unchecked(slot);
  } else {
#if defined(__aarch64__)
    if (!is_live_) return false;
    pc = registers_.general[return_column];
#else
    return false;
#endif
  }
  for (unsigned i = 1; i < packed_column_count; ++i) {
    const std::uint64_t place =
        (i < 8 ? rule.places >> (8 * i) : std::uint64_t{rule.more_places} >> (8 * (i - 8))) & 0xffU;
    if (place != 0) {
      registers_.general[packed_columns[i]] = ReadableMemory::read_unchecked(base - place * word);
    }
  }
  pc = without_signature(pc);
#if defined(__aarch64__)
  registers_.general[return_column] = pc;
#endif
  registers_.general[stack_register] = cfa;
  return arrive(pc, slot);
}

[[gnu::noinline]] bool Unwinder::step_by_information(std::uint64_t address) {
  FrameDescription description;
  const FrameSearch search = find_description(address, &description);
  if (search == FrameSearch::found && !description.signal_frame) {
    return step_by_description(description, address);
  }
  // Before using the description: the kernel's own for its trampoline on aarch64 leads past the
  // interrupted code.
  if (is_signal_trampoline(registers_.pc, memory_)) return step_over_signal_frame();
  if (search == FrameSearch::found) return step_by_description(description, address);
  PackedRule rule;
  if (is_live_ && is_linkage_stub(registers_.pc, memory_)) {
    rule.cfa_register = stack_register;  // the frame is the caller's
    if (search == FrameSearch::no_description) remember(address, rule);
    return step_by_packed(rule);
  }
  if (search == FrameSearch::no_description) {
    rule.kind = PackedKind::frame_pointer;
    remember(address, rule);
  }
  return step_by_frame_pointer();
}

[[gnu::noinline]] bool Unwinder::step_by_description(const FrameDescription& description,
                                                     std::uint64_t address) {
  FrameRules rules;
  if (!rules_at(description.programs, address, &rules)) return step_by_frame_pointer();
  PackedRule packed;
  if (rules.columns[return_column].kind == RuleKind::undefined) {
    packed.kind = PackedKind::outermost;
    remember(address, packed);
    return end();
  }
  if (!description.signal_frame && pack(rules, &packed)) {
    remember(address, packed);
    return step_by_packed(packed);
  }
  return step_by_rules(rules, description);
}

[[gnu::noinline]] bool Unwinder::step_by_rules(const FrameRules& rules,
                                               const FrameDescription& description) {
  Caller caller;
  if (!find_caller(rules, description, &caller)) return false;
  if (description.signal_frame) return arrive_interrupted(caller);
  if (!is_sane(caller.registers.sp())) return false;
  registers_ = caller.registers;
  return arrive(caller.registers.pc, caller.slot);
}

bool Unwinder::find_cfa(const FrameRules& rules, const FrameDescription& description,
                        std::uint64_t* cfa) {
  if (rules.cfa_is_expression) {
    return evaluate(expression_at(description.programs.section, rules.cfa_offset), registers_,
                    memory_, nullptr, cfa);
  }
  if (rules.cfa_register >= register_count) return false;
  *cfa = plus(registers_.general[rules.cfa_register], rules.cfa_offset);
  return true;
}

bool Unwinder::find_caller(const FrameRules& rules, const FrameDescription& description,
                           Caller* caller) {
  std::uint64_t cfa = 0;
  if (!find_cfa(rules, description, &cfa)) return false;
  caller->registers = registers_;
  caller->registers.general[stack_register] = cfa;
  bool has_return_address = false;
  for (unsigned column = 0; column < column_count; ++column) {
    const RegisterRule& rule = rules.columns[column];
    std::uint64_t slot = 0;
    std::uint64_t value = 0;
    switch (rule.kind) {
      case RuleKind::unchanged:
        if (column != return_column || column >= register_count || !is_live_) continue;
        value = registers_.general[column];
        break;
      case RuleKind::undefined:
        continue;
      case RuleKind::saved_at_offset:
        slot = plus(cfa, rule.value);
        break;
      case RuleKind::offset_from_cfa:
        value = plus(cfa, rule.value);
        break;
      case RuleKind::in_register: {
        const auto source = static_cast<unsigned>(rule.value);
        if (source >= register_count) return false;
        value = registers_.general[source];
        break;
      }
      case RuleKind::saved_at_address:
      case RuleKind::computed: {
        const Bytes expression = expression_at(description.programs.section, rule.value);
        if (!evaluate(expression, registers_, memory_, &cfa, &value)) return false;
        if (rule.kind == RuleKind::saved_at_address) slot = value;
        break;
      }
    }
    if (slot != 0 && !memory_.read(slot, &value)) return false;
    if (column == return_column) {
      has_return_address = true;
      value = description.signal_frame ? value : without_signature(value);
      caller->registers.pc = value;
      caller->slot = slot;
    }
    if (column < register_count) caller->registers.general[column] = value;
  }
  return has_return_address;
}

[[gnu::noinline]] bool Unwinder::step_over_signal_frame() {
  Caller caller;
  return read_signal_frame(registers_, memory_, &caller.registers, &caller.slot) &&
         arrive_interrupted(caller);
}

// Code without call frame information: trusts the frame pointer if the return address found there
// lies in a loaded object.
[[gnu::noinline]] bool Unwinder::step_by_frame_pointer() {
  const std::uint64_t frame = registers_.general[frame_register];
  const std::uint64_t above = frame - registers_.sp();
  if (frame % word != 0 || above > largest_frame) return false;
  std::uint64_t caller_frame = 0;
  std::uint64_t pc = 0;
  if (!memory_.read(frame, &caller_frame) || !memory_.read(frame + word, &pc)) return false;
  pc = without_signature(pc);
  LoadedObject object;
  if (pc == 0 || !find_object(pc - 1, &object)) return false;
  registers_.general[frame_register] = caller_frame;
#if defined(__aarch64__)
  // The saved pair of registers is at the low end of a frame, so nothing says where this frame
  // ends. The caller's begins with its own pair, unless it has arguments on the stack.
  registers_.general[return_column] = pc;
  registers_.general[stack_register] = caller_frame > frame ? caller_frame : frame + 2 * word;
#else
  registers_.general[stack_register] = frame + 2 * word;
#endif
  return arrive(pc, frame + word);
}

}  // namespace gprof_runtime
