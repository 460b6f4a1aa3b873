#include "runtime/unwind/path_state.h"

#if defined(__aarch64__)

#include "runtime/unwind/frame_rules.h"

namespace gprof_runtime {
namespace {

constexpr unsigned no_register = 31;  // as the operand of a load: xzr

std::uint32_t bits(std::uint32_t code, unsigned low, unsigned count) {
  return (code >> low) & ((1U << count) - 1);
}

std::int64_t signed_bits(std::uint32_t code, unsigned low, unsigned count) {
  const unsigned unused = 64 - count;
  return static_cast<std::int64_t>(std::uint64_t{bits(code, low, count)} << unused) >> unused;
}

bool is(std::uint32_t code, std::uint32_t mask, std::uint32_t value) {
  return (code & mask) == value;
}

// How the address of a load or store is computed, by the bits of its form.
enum class Address : std::uint8_t { offset, post_index, pre_index };

struct Transfer {
  bool is_load;
  bool is_wide;  // of 64-bit general registers
  Address address;
  std::uint8_t base;
  std::int64_t distance;
  unsigned count;
  unsigned registers[2];
};

void follow_transfer(const Transfer& transfer, PathState& state) {
  constexpr std::int64_t word = sizeof(std::uint64_t);
  if (transfer.address == Address::pre_index) state.add(transfer.base, transfer.distance);
  const std::int64_t first = transfer.address == Address::offset ? transfer.distance : 0;
  for (unsigned i = 0; transfer.is_wide && i < transfer.count; ++i) {
    const unsigned number = transfer.registers[i];
    const std::int64_t offset = first + static_cast<std::int64_t>(i) * word;
    if (number == no_register) continue;
    if (transfer.is_load) {
      state.set(number, state.load(transfer.base, offset));
    } else {
      state.store(transfer.base, offset, state.get(number));
    }
  }
  if (transfer.address == Address::post_index) state.add(transfer.base, transfer.distance);
}

// LDP, STP and their like of vector registers, which change the base as well.
void follow_pair(std::uint32_t code, PathState& state) {
  const std::uint32_t kind = bits(code, 30, 2);
  const bool is_vector = bits(code, 26, 1) != 0;
  const std::int64_t scale = is_vector ? std::int64_t{4} << kind : kind == 2 ? 8 : 4;
  const std::uint32_t form = bits(code, 23, 2);
  follow_transfer({.is_load = bits(code, 22, 1) != 0,
                   .is_wide = !is_vector && kind == 2,
                   .address = form == 1   ? Address::post_index
                              : form == 3 ? Address::pre_index
                                          : Address::offset,
                   .base = static_cast<std::uint8_t>(bits(code, 5, 5)),
                   .distance = signed_bits(code, 15, 7) * scale,
                   .count = 2,
                   .registers = {bits(code, 0, 5), bits(code, 10, 5)}},
                  state);
}

// LDR and STR with a constant distance.
void follow_single(std::uint32_t code, PathState& state) {
  const bool is_vector = bits(code, 26, 1) != 0;
  const std::uint32_t size = bits(code, 30, 2);
  const std::uint32_t operation = bits(code, 22, 2);
  const bool scaled = bits(code, 24, 1) != 0;
  if (!scaled && bits(code, 21, 1) != 0) return;  // an index register, or an atomic operation
  const std::uint32_t form = bits(code, 10, 2);
  follow_transfer(
      {.is_load = operation != 0,
       .is_wide = !is_vector && size == 3 && operation < 2,
       .address = scaled || form == 0 || form == 2 ? Address::offset
                  : form == 1                      ? Address::post_index
                                                   : Address::pre_index,
       .base = static_cast<std::uint8_t>(bits(code, 5, 5)),
       .distance = scaled ? std::int64_t{bits(code, 10, 12)} << size : signed_bits(code, 12, 9),
       .count = 1,
       .registers = {bits(code, 0, 5), 0}},
      state);
}

void follow_arithmetic(std::uint32_t code, PathState& state) {
  const unsigned to = bits(code, 0, 5);
  const unsigned from = bits(code, 5, 5);
  const std::int64_t number = std::int64_t{bits(code, 10, 12)}
                              << (bits(code, 22, 1) != 0 ? 12U : 0U);
  state.set(to, state.plus(from, bits(code, 30, 1) != 0 ? -number : number));
}

// Instructions that do not jump.
void follow_plain(std::uint32_t code, PathState& state) {
  if (is(code, 0x3a000000, 0x28000000)) return follow_pair(code, state);
  if (is(code, 0x3a000000, 0x38000000)) return follow_single(code, state);
  if (is(code, 0xbf800000, 0x91000000)) return follow_arithmetic(code, state);  // ADD, SUB
  const unsigned to = bits(code, 0, 5);
  if (is(code, 0xffe0ffe0, 0xaa0003e0)) {  // MOV between registers
    const unsigned from = bits(code, 16, 5);
    if (to == no_register) return;
    return from == no_register ? state.forget(to) : state.set(to, state.get(from));
  }
  // The stack pointer is aligned, or grows by what a register says.
  const bool aligns = is(code, 0xff80001f, 0x9200001f);
  const bool grows = is(code, 0xbfe0001f, 0x8b20001f);
  if (aligns || grows) state.forget(stack_register);
}

}  // namespace

PathStep follow_instruction(const std::uint8_t* bytes, std::uint64_t pc, PathState& state) {
  std::uint32_t code = 0;
  __builtin_memcpy(&code, bytes, sizeof code);
  PathStep step;
  step.length = sizeof code;
  step.flow = Flow::next;
  const auto target = [pc](std::int64_t distance) {
    return pc + static_cast<std::uint64_t>(distance * 4);
  };
  if (is(code, 0xfffffc1f, 0xd65f0000) || is(code, 0xfffffbff, 0xd65f0bff)) {  // RET, RETAA
    step.flow = Flow::returns;
  } else if (is(code, 0xfc000000, 0x14000000)) {  // B
    step.flow = Flow::jump;
    step.target = target(signed_bits(code, 0, 26));
  } else if (is(code, 0xff000000, 0x54000000) || is(code, 0x7e000000, 0x34000000)) {
    step.flow = Flow::branch;  // B.cond, CBZ, CBNZ
    step.target = target(signed_bits(code, 5, 19));
  } else if (is(code, 0x7e000000, 0x36000000)) {  // TBZ, TBNZ
    step.flow = Flow::branch;
    step.target = target(signed_bits(code, 5, 14));
  } else if (is(code, 0xfc000000, 0x94000000) || is(code, 0xfffffc1f, 0xd63f0000)) {  // BL, BLR
    state.forget(return_column);
  } else if (is(code, 0xfffffc1f, 0xd61f0000)) {  // BR
    step.flow = Flow::maybe_returns;
  } else if (code >> 16U == 0 || is(code, 0xffe0001f, 0xd4200000)) {  // UDF, BRK
    step.flow = Flow::ends;
  } else {
    follow_plain(code, state);
  }
  return step;
}

}  // namespace gprof_runtime

#endif
