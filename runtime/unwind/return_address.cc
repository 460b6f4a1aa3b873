#include "runtime/unwind/return_address.h"

#include "runtime/unwind/eh_frame.h"
#include "runtime/unwind/loaded_object.h"
#if defined(__x86_64__)
#include "runtime/unwind/x86_instruction.h"
#endif

namespace gprof_runtime {
namespace {

// Maximum number of jumps (PLT entries, thunks) to follow from a call to its target.
constexpr unsigned most_jumps = 3;

std::uint8_t byte_at(std::uint64_t address) { return ReadableMemory::read_byte_unchecked(address); }

[[maybe_unused]] std::uint32_t code_at(std::uint64_t address) {
  std::uint32_t code = 0;
  for (unsigned i = 0; i < 4; ++i) code |= std::uint32_t{byte_at(address + i)} << (8 * i);
  return code;
}

bool describes(const FrameDescription& description, std::uint64_t address) {
  return address >= description.programs.first_address && address < description.code_end;
}

// The properties of an instruction that tell where functions end.
struct Step {
  unsigned length = 0;         // 0: not an instruction
  std::uint64_t jumps_to = 0;  // without a condition; 0: not by a constant
  bool ends = false;           // the next instruction is not reached from here
  bool pads = false;           // does nothing
};
Step step_at(std::uint64_t place);

// Moves `*target` to where jumps at it lead. False if that cannot be read.
bool follow_jumps(std::uint64_t* target, ReadableMemory& memory);

bool read_step(std::uint64_t place, ReadableMemory& memory, Step* step) {
  constexpr std::uint64_t longest_instruction = 15;
  if (!memory.covers(place, longest_instruction)) return false;
  *step = step_at(place);
  return step->length != 0;
}

// Whether no function seems to end between the addresses, of code that is not described: by an
// instruction that does not go on, and padding up to where functions are aligned.
bool is_one_function(std::uint64_t begin, std::uint64_t pc, ReadableMemory& memory) {
  constexpr unsigned most_instructions = 8192;
  constexpr std::uint64_t alignment = 16;
  std::uint64_t place = begin;
  bool padded = false;
  bool ended = false;
  for (unsigned i = 0; i < most_instructions; ++i) {
    if (ended && padded && place % alignment == 0) return false;
    if (place >= pc) return true;
    Step step;
    // Bytes that do not decode are data within a function.
    if (!read_step(place, memory, &step)) return false;
    padded = ended && step.pads;
    ended = step.ends || padded;
    place += step.length;
  }
  return false;
}

// Whether the function at `target` is the one at `pc`. `before`: of the last described function at
// or before the target; null if there is none.
CallTarget compare(std::uint64_t target, std::uint64_t pc, const FrameDescription* before,
                   ReadableMemory& memory) {
  FrameDescription before_pc;
  const bool found_pc = find_last_description(pc, &before_pc);
  if (target > pc || (before != nullptr) != found_pc) return CallTarget::other;
  if (found_pc) {
    const bool same_begin = before->programs.first_address == before_pc.programs.first_address;
    const bool same_kind = describes(*before, target) == describes(before_pc, pc);
    if (!same_begin || !same_kind) return CallTarget::other;
    if (describes(before_pc, pc)) return CallTarget::same;
  }
  LoadedObject object;
  // Generated functions are everywhere.
  if (!find_object(pc, &object)) return CallTarget::unknown;
  return is_one_function(target, pc, memory) ? CallTarget::same : CallTarget::other;
}

// Whether the function ends by a jump to the one at pc, which then returns to its caller.
bool ends_in(const FrameDescription& function, std::uint64_t pc, ReadableMemory& memory) {
  constexpr unsigned most_instructions = 250;
  const std::uint64_t begin = function.programs.first_address;
  std::uint64_t place = begin;
  Step step;
  for (unsigned i = 0; i < most_instructions && place < function.code_end; ++i) {
    if (!read_step(place, memory, &step)) return false;
    place += step.length;
    std::uint64_t target = step.jumps_to;
    if (target == 0 || (target >= begin && target < function.code_end)) continue;
    if (!follow_jumps(&target, memory)) continue;
    FrameDescription before;
    const bool found = find_last_description(target, &before);
    if (compare(target, pc, found ? &before : nullptr, memory) == CallTarget::same) return true;
  }
  return false;
}

CallTarget compare(std::uint64_t target, std::uint64_t pc, ReadableMemory& memory) {
  if (pc == 0) return CallTarget::unknown;
  FrameDescription before;
  const bool found = find_last_description(target, &before);
  const CallTarget result = compare(target, pc, found ? &before : nullptr, memory);
  if (result != CallTarget::other || !found || !describes(before, target)) return result;
  return ends_in(before, pc, memory) ? CallTarget::same : CallTarget::other;
}

// Generated code may go away while it is looked at: nothing is read there.
CallTarget call_of_generated(std::uint64_t target, ReadableMemory& memory) {
  return memory.covers(target, 1) ? CallTarget::unknown : CallTarget::no_call;
}

#if defined(__x86_64__)

std::uint64_t relative(std::uint64_t end) {
  const auto distance = static_cast<std::int32_t>(code_at(end - 4));
  return end + static_cast<std::uint64_t>(std::int64_t{distance});
}

bool follow_jumps(std::uint64_t* target, ReadableMemory& memory) {
  constexpr std::uint64_t longest = 11;  // endbr64, bnd, jmp *
  for (unsigned i = 0; i < most_jumps; ++i) {
    if (!memory.covers(*target, longest)) return false;
    std::uint64_t place = *target;
    if (code_at(place) == 0xfa1e0ff3) place += 4;  // endbr64
    if (byte_at(place) == 0xf2) ++place;
    if (byte_at(place) == 0xe9) {
      *target = relative(place + 5);
    } else if (byte_at(place) == 0xff && byte_at(place + 1) == 0x25) {
      ReadableMemory table;
      if (!table.read(relative(place + 6), target)) return false;
    } else {
      return true;
    }
  }
  return true;
}

Step step_at(std::uint64_t place) {
  x86::Instruction instruction;
  if (!x86::decode(reinterpret_cast<const std::uint8_t*>(place), &instruction)) return {};
  Step step;
  step.length = instruction.length;
  if (instruction.vector_encoding) return step;
  const std::uint8_t opcode = instruction.opcode;
  if (instruction.map == 1) {
    step.ends = opcode == 0x0b;  // ud2
    step.pads = opcode == 0x1f;  // nop
  } else if (instruction.map == 0) {
    const bool jumps = opcode == 0xe9 || opcode == 0xeb;
    const bool jumps_far = opcode == 0xff && (instruction.reg & 7U) == 4;
    const bool returns = opcode == 0xc3 || opcode == 0xc2;
    const bool is_zeros = opcode == 0 && byte_at(place + 1) == 0;
    step.ends = jumps || jumps_far || returns || opcode == 0xf4;
    step.pads = opcode == 0x90 || opcode == 0xcc || is_zeros;
    if (jumps) {
      step.jumps_to = place + step.length + static_cast<std::uint64_t>(instruction.immediate);
    }
  }
  return step;
}

// The length of `call *…` that ends at `end`, through a register or memory; 0 if there is none.
unsigned indirect_call(std::uint64_t end) {
  for (const unsigned length : {2U, 3U, 4U, 6U, 7U}) {
    const std::uint64_t place = end - length;
    if (byte_at(place) != 0xff) continue;
    const std::uint8_t modrm = byte_at(place + 1);
    const unsigned mod = modrm >> 6U;
    const unsigned low = modrm & 7U;
    if ((modrm & 0x38U) != 0x10) continue;
    const bool has_index = mod != 3 && low == 4;
    const bool no_base = mod == 0 && (low == 5 || (has_index && (byte_at(place + 2) & 7U) == 5));
    const unsigned displacement = mod == 1 ? 1 : mod == 2 || no_base ? 4 : 0;
    if (2 + (has_index ? 1U : 0U) + displacement == length) return length;
  }
  return 0;
}

CallTarget call_ending_at(std::uint64_t end, std::uint64_t pc, ReadableMemory& memory) {
  std::uint64_t target = 0;
  if (byte_at(end - 5) == 0xe8) {
    target = relative(end);
    // Any four bytes are a distance; few of them lead to memory that can be read.
    LoadedObject object;
    if (!find_object(target, &object)) return call_of_generated(target, memory);
    if (!follow_jumps(&target, memory)) return CallTarget::no_call;
    return compare(target, pc, memory);
  }
  const unsigned length = indirect_call(end);
  if (length == 0) return CallTarget::no_call;
  if (length != 6 || byte_at(end - 5) != 0x15) return CallTarget::unknown;
  ReadableMemory table;
  if (!table.read(relative(end), &target)) return CallTarget::no_call;
  return follow_jumps(&target, memory) ? compare(target, pc, memory) : CallTarget::unknown;
}

constexpr std::uint64_t longest_call = 7;

CallTarget copied_call(const std::uint8_t* copy, std::uint64_t end, ReadableMemory& memory) {
  const auto end_of_copy = reinterpret_cast<std::uint64_t>(copy) + longest_call;
  if (byte_at(end_of_copy - 5) == 0xe8) {
    return call_of_generated(relative(end_of_copy) - end_of_copy + end, memory);
  }
  return indirect_call(end_of_copy) != 0 ? CallTarget::unknown : CallTarget::no_call;
}

#else

std::uint64_t relative(std::uint64_t place, std::uint32_t jump) {
  const auto distance = static_cast<std::int64_t>(std::uint64_t{jump & 0x3ffffffU} << 38U) >> 36U;
  return place + static_cast<std::uint64_t>(distance);
}

Step step_at(std::uint64_t place) {
  const std::uint32_t code = code_at(place);
  const bool jumps = (code & 0xfc000000U) == 0x14000000;    // B
  const bool returns = (code & 0xfe9ff000U) == 0xd61f0000;  // BR, RET
  const bool pads = code == 0xd503201f || code == 0;        // NOP
  return {4, jumps ? relative(place, code) : 0, jumps || returns, pads};
}

bool follow_jumps(std::uint64_t* target, ReadableMemory& memory) {
  for (unsigned i = 0; i < most_jumps; ++i) {
    if (!memory.covers(*target, 4)) return false;
    const std::uint64_t next = step_at(*target).jumps_to;
    if (next == 0) return true;
    *target = next;
  }
  return true;
}

CallTarget call_ending_at(std::uint64_t end, std::uint64_t pc, ReadableMemory& memory) {
  const std::uint32_t call = code_at(end - 4);
  if ((call & 0xfffffc1fU) == 0xd63f0000 || (call & 0xfffff800U) == 0xd73f0800) {
    return CallTarget::unknown;  // BLR, BLRAA and BLRAB
  }
  if ((call & 0xfc000000U) != 0x94000000) return CallTarget::no_call;
  std::uint64_t target = relative(end - 4, call);
  LoadedObject object;
  if (!find_object(target, &object)) return call_of_generated(target, memory);
  if (!follow_jumps(&target, memory)) return CallTarget::no_call;
  // A stub loads its target from a table; which one is not looked up.
  constexpr std::uint32_t load_of_page = 0x90000010;  // adrp x16
  if ((code_at(target) & 0x9f00001fU) == load_of_page) return CallTarget::unknown;
  return compare(target, pc, memory);
}

constexpr std::uint64_t longest_call = 4;

CallTarget copied_call(const std::uint8_t* copy, std::uint64_t end, ReadableMemory& memory) {
  const std::uint32_t call = code_at(reinterpret_cast<std::uint64_t>(copy));
  if ((call & 0xfffffc1fU) == 0xd63f0000) return CallTarget::unknown;  // BLR
  if ((call & 0xfc000000U) != 0x94000000) return CallTarget::no_call;
  return call_of_generated(relative(end - 4, call), memory);
}

#endif

}  // namespace

[[gnu::noinline]] CallTarget call_before(std::uint64_t return_address, std::uint64_t pc,
                                         ReadableMemory& memory) {
  constexpr std::uint64_t lowest = 0x1000;
#if defined(__aarch64__)
  if (return_address % 4 != 0) return CallTarget::no_call;
#endif
  if (return_address < lowest) return CallTarget::no_call;
  LoadedObject object;
  if (!find_object(return_address - 1, &object)) {
    std::uint8_t copy[longest_call];
    memory.note_copy();
    const bool readable = copy_memory(return_address - longest_call, longest_call, copy);
    return readable ? copied_call(copy, return_address, memory) : CallTarget::no_call;
  }
  if (!memory.covers(return_address - longest_call, longest_call)) {
    return CallTarget::no_call;
  }
  return call_ending_at(return_address, pc, memory);
}

}  // namespace gprof_runtime
