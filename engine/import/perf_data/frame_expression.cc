// The expressions of call frame information: of stubs of the linker, and of signal frames.

#include "engine/dwarf/byte_cursor.h"
#include "engine/import/perf_data/call_frames.h"

namespace gprof::perf_data {
namespace {

constexpr std::size_t deepest_stack = 64;

class Evaluation {
 public:
  Evaluation(std::span<const std::byte> bytes, ByteOrder order, const RegisterValues& registers,
             const ReadMemory& memory)
      : cursor_(bytes, order), registers_(registers), memory_(memory) {}

  std::optional<std::uint64_t> run(std::optional<std::uint64_t> first) {
    if (first) push(*first);
    while (is_sound_ && !cursor_.at_end()) {
      step(cursor_.byte());
      is_sound_ = is_sound_ && !cursor_.ended_early() && stack_.size() <= deepest_stack;
    }
    if (!is_sound_ || stack_.empty()) return std::nullopt;
    return stack_.back();
  }

 private:
  void push(std::uint64_t value) { stack_.push_back(value); }
  std::uint64_t pop() {
    if (stack_.empty()) {
      is_sound_ = false;
      return 0;
    }
    const std::uint64_t value = stack_.back();
    stack_.pop_back();
    return value;
  }
  void push_register(std::uint64_t number) {
    const auto offset = static_cast<std::uint64_t>(cursor_.sleb128());
    is_sound_ = number < most_registers && registers_[number];
    if (is_sound_) push(*registers_[number] + offset);
  }
  void load() {
    const auto value = memory_(pop());
    is_sound_ = is_sound_ && value.has_value();
    push(value.value_or(0));
  }

  void step(std::uint8_t opcode) {
    if (opcode >= 0x30 && opcode <= 0x4f) return push(opcode - 0x30U);
    if (opcode >= 0x70 && opcode <= 0x8f) return push_register(opcode - 0x70U);
    switch (opcode) {
      case 0x06:
        return load();
      case 0x08:
        return push(cursor_.fixed(1));
      case 0x09:
        return push(
            static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(cursor_.byte())}));
      case 0x0a:
        return push(cursor_.fixed(2));
      case 0x0c:
        return push(cursor_.fixed(4));
      case 0x0e:
      case 0x0f:
        return push(cursor_.fixed(8));
      case 0x10:
        return push(cursor_.uleb128());
      case 0x11:
        return push(static_cast<std::uint64_t>(cursor_.sleb128()));
      case 0x12: {
        const std::uint64_t value = pop();
        push(value);
        return push(value);
      }
      case 0x13:
        pop();
        return;
      case 0x23:
        return push(pop() + cursor_.uleb128());
      case 0x92:
        return push_register(cursor_.uleb128());
      default:
        return combine(opcode);
    }
  }

  void combine(std::uint8_t opcode) {
    const std::uint64_t b = pop();
    const std::uint64_t a = pop();
    const auto signed_a = static_cast<std::int64_t>(a);
    const auto signed_b = static_cast<std::int64_t>(b);
    switch (opcode) {
      case 0x1a:
        return push(a & b);
      case 0x1c:
        return push(a - b);
      case 0x1e:
        return push(a * b);
      case 0x21:
        return push(a | b);
      case 0x22:
        return push(a + b);
      case 0x24:
        return push(b < 64 ? a << b : 0);
      case 0x25:
        return push(b < 64 ? a >> b : 0);
      case 0x27:
        return push(a ^ b);
      case 0x29:
        return push(a == b ? 1 : 0);
      case 0x2a:
        return push(signed_a >= signed_b ? 1 : 0);
      case 0x2b:
        return push(signed_a > signed_b ? 1 : 0);
      case 0x2c:
        return push(signed_a <= signed_b ? 1 : 0);
      case 0x2d:
        return push(signed_a < signed_b ? 1 : 0);
      case 0x2e:
        return push(a != b ? 1 : 0);
      default:
        is_sound_ = false;
    }
  }

  dwarf::ByteCursor cursor_;
  const RegisterValues& registers_;
  const ReadMemory& memory_;
  std::vector<std::uint64_t> stack_;
  bool is_sound_ = true;
};

}  // namespace

std::optional<std::uint64_t> CallFrames::evaluate(const RegisterRule& rule,
                                                  std::optional<std::uint64_t> first,
                                                  const RegisterValues& registers,
                                                  const ReadMemory& memory) const {
  const auto bytes = section_.subspan(static_cast<std::size_t>(rule.value), rule.expression_size);
  return Evaluation(bytes, order_, registers, memory).run(first);
}

}  // namespace gprof::perf_data
