#include "runtime/unwind/unwinder.h"

#include "runtime/unwind/eh_frame.h"
#include "runtime/unwind/expression.h"
#include "runtime/unwind/frame_rules.h"
#include "runtime/unwind/known_code.h"
#include "runtime/unwind/own_frames.h"
#include "runtime/unwind/return_address.h"
#include "runtime/unwind/rule_cache.h"
#include "runtime/unwind/signature.h"

namespace gprof_runtime {
namespace {

constexpr std::uint64_t word = sizeof(std::uint64_t);
// The stack pointer may go anywhere at a signal frame, so this limit is what ends circular walks.
constexpr std::uint32_t most_signal_frames = 16;

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
  if (doubts_rules_) [[unlikely]]
    return step_in_doubt();
  return step_once();
}

bool Unwinder::step_once() {
  if (complete_ || registers_.pc == 0) return end();
  const std::uint64_t address = address_in_frame();
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
  is_inferred_ = false;
  ended_at_null_ = pc == 0;
  return pc != 0 || end();
}

bool Unwinder::arrive_interrupted(const Caller& caller) {
  if (++signal_frames_ > most_signal_frames) return false;
  registers_ = caller.registers;
  return_slot_ = caller.slot;
  pc_is_return_address_ = false;
  left_signal_handler_ = true;
  is_live_ = true;
  is_inferred_ = false;
  ended_at_null_ = registers_.pc == 0;
  return registers_.pc != 0 || end();
}

void Unwinder::remember(std::uint64_t address, const PackedRule& rule) {
  if (cache_ != nullptr) rule_cache::store(*cache_, address, epoch_, rule);
}

bool Unwinder::step_by_packed(const PackedRule& rule) {
  if (rule.kind != PackedKind::common) [[unlikely]]
    return step_by_other_rule(rule);
  const std::uint64_t cfa = plus(registers_.general[rule.cfa_register], rule.cfa_offset);
  const std::uint64_t base = cfa - rule.base * word;
  const std::uint64_t size = rule.deepest * word;
  if (!is_sane(cfa) || (size != 0 && !memory_.covers(base - size, size))) return false;

  std::uint64_t pc = 0;
  std::uint64_t slot = 0;
  if (const std::uint64_t place = rule.places & 0xffU; place != 0) [[likely]] {
    slot = base - place * word;
    pc = memory_.word_at(slot);
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
      registers_.general[packed_columns[i]] = memory_.word_at(base - place * word);
    }
  }
  pc = without_signature(pc);
#if defined(__aarch64__)
  registers_.general[return_column] = pc;
#endif
  registers_.general[stack_register] = cfa;
  return arrive(pc, slot);
}

[[gnu::noinline]] bool Unwinder::step_by_other_rule(const PackedRule& rule) {
  switch (rule.kind) {
    case PackedKind::outermost:
      return end();
    case PackedKind::inferred: {
      const Unwinder before = *this;
      PackedRule common = rule;
      common.kind = PackedKind::common;
      // The code is the same as when the rule was found, but it may be data by now.
      if (step_by_packed(common) && is_caller(registers_.pc)) {
        is_inferred_ = true;
        return true;
      }
      become(before);
      return step_by_frame_pointer(false);
    }
    default:
      return step_by_frame_pointer(false);
  }
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
  return infer_caller(address, search == FrameSearch::no_description);
}

[[gnu::noinline]] bool Unwinder::step_by_description(const FrameDescription& description,
                                                     std::uint64_t address) {
  FrameRules rules;
  if (!rules_at(description.programs, address, &rules)) return infer_caller(address, false);
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

}  // namespace gprof_runtime
