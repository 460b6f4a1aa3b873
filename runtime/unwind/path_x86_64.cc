#include "runtime/unwind/path_state.h"

#if defined(__x86_64__)

#include "runtime/unwind/x86_instruction.h"

namespace gprof_runtime {
namespace {

using x86::Instruction;

constexpr std::int64_t word = sizeof(std::uint64_t);

static_assert(longest_step == x86::longest_instruction);

// The registers' numbers in instructions are ax, cx, dx, bx, sp, bp, si, di; DWARF's differ.
unsigned dwarf_register(std::uint8_t number) {
  static constexpr std::uint8_t order[] = {0, 2, 1, 3, 7, 6, 4, 5};
  return number < 8 ? order[number] : number;
}

// Whether the operand is memory at a register plus a displacement.
bool is_simple(const Instruction& instruction) {
  return instruction.in_memory && instruction.base != x86::no_register && !instruction.indexed &&
         !instruction.segment;
}

void push(PathState& state, const PathValue& value) {
  state.add(stack_register, -word);
  state.store(stack_register, 0, value);
}

PathValue pop(PathState& state) {
  const PathValue value = state.load(stack_register, 0);
  state.add(stack_register, word);
  return value;
}

// ADD, SUB and AND of a register and a constant.
void follow_arithmetic(const Instruction& instruction, PathState& state) {
  if (instruction.in_memory) return;
  const unsigned number = dwarf_register(instruction.rm);
  switch (instruction.reg & 7U) {
    case 0:
      return state.add(number, instruction.immediate);
    case 5:
      return state.add(number, -instruction.immediate);
    case 7:
      return;  // CMP
    default:
      // The stack pointer is aligned: how far, only the processor knows.
      state.forget(number);
  }
}

void follow_move(const Instruction& instruction, PathState& state) {
  const unsigned reg = dwarf_register(instruction.reg);
  const bool to_memory = instruction.opcode == 0x89;
  if (!instruction.in_memory) {
    const unsigned rm = dwarf_register(instruction.rm);
    state.set(to_memory ? rm : reg, state.get(to_memory ? reg : rm));
  } else if (!is_simple(instruction)) {
    if (!to_memory) state.forget(reg);
  } else if (to_memory) {
    state.store(dwarf_register(instruction.base), instruction.displacement, state.get(reg));
  } else {
    state.set(reg, state.load(dwarf_register(instruction.base), instruction.displacement));
  }
}

void follow_address(const Instruction& instruction, PathState& state) {
  const unsigned reg = dwarf_register(instruction.reg);
  if (!is_simple(instruction)) return state.forget(reg);
  state.set(reg, state.plus(dwarf_register(instruction.base), instruction.displacement));
}

// INC, DEC, CALL, JMP and PUSH, by the opcode's extension.
Flow follow_group(const Instruction& instruction, PathState& state) {
  switch (instruction.reg & 7U) {
    case 4:
      return Flow::maybe_returns;
    case 5:
    case 7:
      return Flow::ends;
    case 6:
      push(state, {});
      return Flow::next;
    default:
      return Flow::next;
  }
}

Flow follow_stack_instruction(const Instruction& instruction, PathState& state) {
  const std::uint8_t opcode = instruction.opcode;
  if (opcode >= 0x50 && opcode <= 0x5f) return Flow::next;
  switch (opcode) {
    case 0x68:
    case 0x6a:
    case 0x9c:
      push(state, {});
      return Flow::next;
    case 0x8f:
    case 0x9d:
      pop(state);
      return Flow::next;
    case 0xc9:  // LEAVE
      state.set(stack_register, state.get(frame_register));
      state.set(frame_register, pop(state));
      return Flow::next;
    case 0xc2:
    case 0xc3:
      return Flow::returns;
    case 0xc8:
    case 0xca:
    case 0xcb:
    case 0xcc:
    case 0xcf:
    case 0xf4:
      return Flow::ends;
    case 0xe8:
      return Flow::next;
    case 0xff:
      return follow_group(instruction, state);
    default:
      return Flow::next;
  }
}

// PUSH and POP of a register, whose number is in the opcode. REX.B is only in the prefix.
void follow_push_or_pop(const std::uint8_t* bytes, const Instruction& instruction,
                        PathState& state) {
  const std::uint8_t before = instruction.length > 1 ? bytes[instruction.length - 2] : 0;
  const bool extended = (before & 0xf1U) == 0x41;
  const unsigned number =
      dwarf_register(static_cast<std::uint8_t>((instruction.opcode & 7U) | (extended ? 8U : 0U)));
  if (instruction.opcode < 0x58) {
    push(state, state.get(number));
  } else {
    state.set(number, pop(state));
  }
}

bool is_branch(const Instruction& instruction) {
  if (instruction.map == 1) return (instruction.opcode & 0xf0U) == 0x80;
  return (instruction.opcode & 0xf0U) == 0x70 ||
         (instruction.opcode >= 0xe0 && instruction.opcode <= 0xe3);
}

Flow follow_one_byte(const std::uint8_t* bytes, const Instruction& instruction, PathState& state) {
  switch (instruction.opcode) {
    case 0x81:
    case 0x83:
      if (instruction.wide) follow_arithmetic(instruction, state);
      return Flow::next;
    case 0x89:
    case 0x8b:
      if (instruction.wide) follow_move(instruction, state);
      return Flow::next;
    case 0x8d:
      if (instruction.wide) follow_address(instruction, state);
      return Flow::next;
    case 0x01:
    case 0x29:
      // The stack grows by what a register says.
      if (instruction.wide && !instruction.in_memory && instruction.rm == 4) {
        state.forget(stack_register);
      }
      return Flow::next;
    case 0x03:
    case 0x2b:
    case 0x23:
      if (instruction.wide && instruction.reg == 4) state.forget(stack_register);
      return Flow::next;
    case 0x87:
      if (instruction.wide && !instruction.in_memory) {
        const unsigned reg = dwarf_register(instruction.reg);
        const unsigned rm = dwarf_register(instruction.rm);
        const PathValue value = state.get(reg);
        state.set(reg, state.get(rm));
        state.set(rm, value);
      }
      return Flow::next;
    default:
      if (instruction.opcode >= 0x50 && instruction.opcode <= 0x5f) {
        follow_push_or_pop(bytes, instruction, state);
      }
      return follow_stack_instruction(instruction, state);
  }
}

}  // namespace

PathStep follow_instruction(const std::uint8_t* bytes, std::uint64_t pc, PathState& state) {
  Instruction instruction;
  PathStep step;
  if (!x86::decode(bytes, &instruction)) return step;
  step.length = instruction.length;
  step.target = pc + instruction.length + static_cast<std::uint64_t>(instruction.immediate);
  if (instruction.vector_encoding) {
    step.flow = Flow::next;
  } else if (is_branch(instruction)) {
    step.flow = Flow::branch;
  } else if (instruction.map == 0) {
    const bool jumps = instruction.opcode == 0xe9 || instruction.opcode == 0xeb;
    step.flow = jumps ? Flow::jump : follow_one_byte(bytes, instruction, state);
  } else {
    const bool traps =
        instruction.map == 1 && (instruction.opcode == 0x0b || instruction.opcode == 0xff);
    step.flow = traps ? Flow::ends : Flow::next;
  }
  return step;
}

}  // namespace gprof_runtime

#endif
