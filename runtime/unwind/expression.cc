#include "runtime/unwind/expression.h"

#include "runtime/unwind/frame_rules.h"

namespace gprof_runtime {
namespace {

constexpr unsigned deepest = 32;
constexpr unsigned most_operations = 256;  // an expression may jump back

class Evaluator {
 public:
  Evaluator(Bytes expression, const Registers& registers, ReadableMemory& memory)
      : begin_(expression.data()), cursor_(expression), registers_(registers), memory_(memory) {}

  void push(std::uint64_t value) {
    if (depth_ == deepest) {
      failed_ = true;
    } else {
      stack_[depth_++] = value;
    }
  }

  bool run(std::uint64_t* value) {
    for (unsigned operations = 0; cursor_.remaining() > 0; ++operations) {
      if (operations == most_operations || !step(cursor_.read<std::uint8_t>())) return false;
      if (failed_ || cursor_.failed()) return false;
    }
    *value = pop();
    return !failed_;
  }

 private:
  std::uint64_t pop() {
    if (depth_ == 0) {
      failed_ = true;
      return 0;
    }
    return stack_[--depth_];
  }

  std::uint64_t register_value(std::uint64_t number) {
    if (number < register_count) return registers_.general[number];
    if (number == return_column) return registers_.pc;
    failed_ = true;
    return 0;
  }
  void push_register(std::uint64_t number, std::int64_t offset) {
    push(register_value(number) + static_cast<std::uint64_t>(offset));
  }

  bool step(std::uint8_t operation) {
    if (operation >= 0x30 && operation <= 0x4f) {  // lit0 to lit31
      push(operation - 0x30U);
    } else if (operation >= 0x50 && operation <= 0x6f) {  // reg0 to reg31
      push_register(operation - 0x50U, 0);
    } else if (operation >= 0x70 && operation <= 0x8f) {  // breg0 to breg31
      push_register(operation - 0x70U, cursor_.read_signed());
    } else if (operation >= 0x08 && operation <= 0x11) {
      push_constant(operation);
    } else if (operation >= 0x12 && operation <= 0x17) {
      return shuffle(operation);
    } else if (operation >= 0x29 && operation <= 0x2e) {
      compare(operation);
    } else if (operation >= 0x19 && operation <= 0x27) {
      return compute(operation);
    } else {
      return run_other(operation);
    }
    return true;
  }

  bool run_other(std::uint8_t operation) {
    switch (operation) {
      case 0x03:
        push(cursor_.read<std::uint64_t>());
        return true;  // addr
      case 0x06:
        return load(sizeof(std::uint64_t));  // deref
      case 0x94:
        return load(cursor_.read<std::uint8_t>());  // deref_size
      case 0x2f:
        jump();
        return true;  // skip
      case 0x28:
        return jump_if();  // bra
      case 0x90:
        push_register(cursor_.read_unsigned(), 0);
        return true;  // regx
      case 0x92: {    // bregx
        const std::uint64_t number = cursor_.read_unsigned();
        push_register(number, cursor_.read_signed());
        return true;
      }
      case 0x96:
        return true;  // nop
      default:
        return false;
    }
  }

  void jump() { cursor_.jump(cursor_.read<std::int16_t>(), begin_); }
  bool jump_if() {
    if (pop() != 0) {
      jump();
    } else {
      cursor_.skip(sizeof(std::int16_t));
    }
    return true;
  }

  bool load(std::uint64_t size) {
    if (size != 1 && size != 2 && size != 4 && size != 8) return false;
    const std::uint64_t address = pop();
    if (failed_ || !memory_.covers(address, size)) return false;
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
      value |= std::uint64_t{memory_.byte_at(address + i)} << (8 * i);
    }
    push(value);
    return true;
  }

  template <class Number>
  void push_number() {
    push(static_cast<std::uint64_t>(static_cast<std::int64_t>(cursor_.read<Number>())));
  }
  void push_constant(std::uint8_t operation) {
    switch (operation) {
      case 0x08:
        push(cursor_.read<std::uint8_t>());
        break;
      case 0x09:
        push_number<std::int8_t>();
        break;
      case 0x0a:
        push(cursor_.read<std::uint16_t>());
        break;
      case 0x0b:
        push_number<std::int16_t>();
        break;
      case 0x0c:
        push(cursor_.read<std::uint32_t>());
        break;
      case 0x0d:
        push_number<std::int32_t>();
        break;
      case 0x0e:
      case 0x0f:
        push(cursor_.read<std::uint64_t>());
        break;
      case 0x10:
        push(cursor_.read_unsigned());
        break;
      default:
        push(static_cast<std::uint64_t>(cursor_.read_signed()));
        break;
    }
  }

  // Copies the value `below` places under the top.
  bool pick(std::uint64_t below) {
    if (below >= depth_) return false;
    push(stack_[depth_ - 1 - below]);
    return true;
  }
  bool shuffle(std::uint8_t operation) {
    switch (operation) {
      case 0x12:
        return pick(0);  // dup
      case 0x13:
        pop();
        return true;
      case 0x14:
        return pick(1);  // over
      case 0x15:
        return pick(cursor_.read<std::uint8_t>());
      default:
        break;
    }
    const unsigned count = operation == 0x16 ? 2 : 3;  // swap, rot
    if (depth_ < count) return false;
    const std::uint64_t top = stack_[depth_ - 1];
    for (unsigned i = 1; i < count; ++i) stack_[depth_ - i] = stack_[depth_ - i - 1];
    stack_[depth_ - count] = top;
    return true;
  }

  void compare(std::uint8_t operation) {
    const auto right = static_cast<std::int64_t>(pop());
    const auto left = static_cast<std::int64_t>(pop());
    switch (operation) {
      case 0x29:
        push(left == right ? 1 : 0);
        break;
      case 0x2a:
        push(left >= right ? 1 : 0);
        break;
      case 0x2b:
        push(left > right ? 1 : 0);
        break;
      case 0x2c:
        push(left <= right ? 1 : 0);
        break;
      case 0x2d:
        push(left < right ? 1 : 0);
        break;
      default:
        push(left != right ? 1 : 0);
        break;
    }
  }

  bool compute(std::uint8_t operation) {
    const std::uint64_t right = pop();
    switch (operation) {
      case 0x19:
        push(static_cast<std::int64_t>(right) < 0 ? 0 - right : right);
        return true;  // abs
      case 0x1f:
        push(0 - right);
        return true;  // neg
      case 0x20:
        push(~right);
        return true;  // not
      case 0x23:
        push(right + cursor_.read_unsigned());
        return true;  // plus_uconst
      default:
        break;
    }
    return combine(operation, pop(), right);
  }

  bool combine(std::uint8_t operation, std::uint64_t left, std::uint64_t right) {
    const bool shifts_out = right >= 64;
    switch (operation) {
      case 0x1a:
        push(left & right);
        return true;
      case 0x1b:
        return divide(static_cast<std::int64_t>(left), static_cast<std::int64_t>(right));
      case 0x1c:
        push(left - right);
        return true;
      case 0x1d:
        if (right == 0) return false;
        push(left % right);
        return true;
      case 0x1e:
        push(left * right);
        return true;
      case 0x21:
        push(left | right);
        return true;
      case 0x22:
        push(left + right);
        return true;
      case 0x24:
        push(shifts_out ? 0 : left << right);
        return true;
      case 0x25:
        push(shifts_out ? 0 : left >> right);
        return true;
      case 0x26:
        push(static_cast<std::uint64_t>(static_cast<std::int64_t>(left) >>
                                        (shifts_out ? 63 : right)));
        return true;
      default:
        push(left ^ right);
        return true;
    }
  }
  bool divide(std::int64_t left, std::int64_t right) {
    if (right == 0 || (right == -1 && left == INT64_MIN)) return false;
    push(static_cast<std::uint64_t>(left / right));
    return true;
  }

  const std::uint8_t* begin_;
  ByteCursor cursor_;
  const Registers& registers_;
  ReadableMemory& memory_;
  std::uint64_t stack_[deepest];
  unsigned depth_ = 0;
  bool failed_ = false;
};

}  // namespace

bool evaluate(Bytes expression, const Registers& registers, ReadableMemory& memory,
              const std::uint64_t* cfa, std::uint64_t* value) {
  Evaluator evaluator(expression, registers, memory);
  if (cfa != nullptr) evaluator.push(*cfa);
  return evaluator.run(value);
}

}  // namespace gprof_runtime
