#include "runtime/unwind/x86_instruction.h"

namespace gprof_runtime::x86 {
namespace {

// Flags for the operands that follow an opcode: a ModRM byte, immediates of 1, 2 and 4 bytes (4
// become 2 with a 16-bit operand size).
constexpr std::uint8_t none = 0;
constexpr std::uint8_t invalid = 1;
constexpr std::uint8_t operands = 0x10;
constexpr std::uint8_t byte = 0x20;
constexpr std::uint8_t half = 0x40;
constexpr std::uint8_t full = 0x80;

// Opcodes of one byte from 0x40 on; those below follow a pattern.
constexpr std::uint8_t M = operands;
constexpr std::uint8_t B = byte;
constexpr std::uint8_t F = full;
constexpr std::uint8_t X = invalid;
constexpr std::uint8_t one_byte[] = {
    X,        X,     X,    X,     X, X, X,     X,
    X,        X,     X,    X,     X, X, X,     X,  // 40: REX
    0,        0,     0,    0,     0, 0, 0,     0,
    0,        0,     0,    0,     0, 0, 0,     0,  // 50
    X,        X,     X,    M,     X, X, X,     X,
    F,        M | F, B,    M | B, 0, 0, 0,     0,  // 60
    B,        B,     B,    B,     B, B, B,     B,
    B,        B,     B,    B,     B, B, B,     B,  // 70
    M | B,    M | F, X,    M | B, M, M, M,     M,
    M,        M,     M,    M,     M, M, M,     M,  // 80
    0,        0,     0,    0,     0, 0, 0,     0,
    0,        0,     X,    0,     0, 0, 0,     0,  // 90
    0,        0,     0,    0,     0, 0, 0,     0,
    B,        F,     0,    0,     0, 0, 0,     0,  // a0
    B,        B,     B,    B,     B, B, B,     B,
    F,        F,     F,    F,     F, F, F,     F,  // b0
    M | B,    M | B, half, 0,     X, X, M | B, M | F,
    half | B, 0,     half, 0,     0, B, X,     0,  // c0
    M,        M,     M,    M,     X, X, X,     0,
    M,        M,     M,    M,     M, M, M,     M,  // d0
    B,        B,     B,    B,     B, B, B,     B,
    F,        F,     X,    B,     0, 0, 0,     0,  // e0
    X,        0,     X,    X,     0, 0, M,     M,
    0,        0,     0,    0,     0, 0, M,     M,  // f0
};
static_assert(sizeof one_byte == 0xc0);

std::uint8_t layout_of_one_byte(std::uint8_t opcode) {
  if (opcode >= 0x40) return one_byte[opcode - 0x40];
  const unsigned form = opcode & 7U;
  if (form < 4) return operands;
  return form == 4 ? byte : form == 5 ? full : invalid;
}

std::uint8_t layout_of_two_bytes(std::uint8_t opcode) {
  if (opcode >= 0x80 && opcode <= 0x8f) return full;
  if (opcode >= 0xc8 && opcode <= 0xcf) return none;
  if (opcode >= 0x30 && opcode <= 0x37) return none;
  switch (opcode) {
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0b:
    case 0x0e:
    case 0x77:
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa8:
    case 0xa9:
    case 0xaa:
      return none;
    case 0x04:
    case 0x0a:
    case 0x0c:
    case 0x24:
    case 0x25:
    case 0x26:
    case 0x27:
    case 0x39:
    case 0x3b:
    case 0x3c:
    case 0x3d:
    case 0x3e:
    case 0x3f:
    case 0xa6:
    case 0xa7:
      return invalid;
    case 0x0f:
    case 0x70:
    case 0x71:
    case 0x72:
    case 0x73:
    case 0xa4:
    case 0xac:
    case 0xba:
    case 0xc2:
    case 0xc4:
    case 0xc5:
    case 0xc6:
      return operands | byte;
    default:
      return operands;
  }
}

std::uint8_t layout_of_vector(std::uint8_t map, std::uint8_t opcode) {
  switch (map) {
    case 1:
      if (opcode == 0x77) return none;
      return layout_of_two_bytes(opcode) & byte ? operands | byte : operands;
    case 2:
    case 5:
    case 6:
      return operands;
    case 3:
      return operands | byte;
    default:
      return invalid;
  }
}

class Decoder {
 public:
  Decoder(const std::uint8_t* bytes, Instruction* instruction)
      : bytes_(bytes), instruction_(*instruction) {}

  bool run() {
    instruction_ = Instruction{};
    read_prefixes();
    const std::uint8_t layout = read_opcode();
    if (layout == invalid) return false;
    if ((layout & operands) != 0) read_operands();
    read_immediates(layout);
    instruction_.length = static_cast<std::uint8_t>(place_);
    return !failed_;
  }

 private:
  std::uint8_t next() {
    if (place_ == longest_instruction) {
      failed_ = true;
      return 0;
    }
    return bytes_[place_++];
  }
  std::uint8_t peek() const { return place_ < longest_instruction ? bytes_[place_] : 0; }

  std::int64_t read_signed(unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{next()} << (8 * i);
    const unsigned unused = 64 - 8 * size;
    return static_cast<std::int64_t>(value << unused) >> unused;
  }

  void read_prefixes() {
    for (;; ++place_) {
      switch (peek()) {
        case 0x66:
          instruction_.narrow = true;
          break;
        case 0x67:
          short_address_ = true;
          break;
        case 0xf2:
        case 0xf3:
          instruction_.repeated = true;
          break;
        case 0x64:
        case 0x65:
          instruction_.segment = true;
          break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
        case 0xf0:
          break;
        default:
          if ((peek() & 0xf0U) == 0x40) {
            rex_ = next();
            instruction_.wide = (rex_ & 8U) != 0;
          }
          return;
      }
    }
  }

  std::uint8_t read_opcode() {
    std::uint8_t opcode = next();
    if (opcode == 0xc4 || opcode == 0xc5 || opcode == 0x62) return read_vector_opcode(opcode);
    if (opcode != 0x0f) {
      instruction_.opcode = opcode;
      return layout_of_one_byte(opcode);
    }
    opcode = next();
    instruction_.map = opcode == 0x38 ? 2 : opcode == 0x3a ? 3 : 1;
    if (instruction_.map == 1) {
      instruction_.opcode = opcode;
      return layout_of_two_bytes(opcode);
    }
    instruction_.opcode = next();
    return instruction_.map == 2 ? operands : operands | byte;
  }

  std::uint8_t read_vector_opcode(std::uint8_t escape) {
    instruction_.vector_encoding = true;
    instruction_.map = 1;
    const std::uint8_t first = next();
    // The register extensions are inverted.
    rex_ = static_cast<std::uint8_t>((~first >> 5U) & 7U);
    if (escape == 0xc5) {
      rex_ &= 4U;
    } else {
      instruction_.map = first & (escape == 0x62 ? 7U : 0x1fU);
      instruction_.wide = (next() & 0x80U) != 0;
      if (escape == 0x62) next();
    }
    instruction_.opcode = next();
    return layout_of_vector(instruction_.map, instruction_.opcode);
  }

  void read_operands() {
    const std::uint8_t modrm = next();
    const unsigned mod = modrm >> 6U;
    const unsigned low = modrm & 7U;
    instruction_.has_operands = true;
    instruction_.reg = static_cast<std::uint8_t>(((modrm >> 3U) & 7U) | ((rex_ & 4U) << 1U));
    if (mod == 3) {
      instruction_.rm = static_cast<std::uint8_t>(low | ((rex_ & 1U) << 3U));
      return;
    }
    instruction_.in_memory = true;
    unsigned displacement_size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    std::uint8_t base = static_cast<std::uint8_t>(low | ((rex_ & 1U) << 3U));
    if (low == 4) {
      const std::uint8_t sib = next();
      base = static_cast<std::uint8_t>((sib & 7U) | ((rex_ & 1U) << 3U));
      instruction_.indexed = (((sib >> 3U) & 7U) | ((rex_ & 2U) << 2U)) != 4;
      if ((sib & 7U) == 5 && mod == 0) {
        base = no_register;
        displacement_size = 4;
      }
    } else if (low == 5 && mod == 0) {
      base = no_register;
      instruction_.pc_relative = true;
      displacement_size = 4;
    }
    instruction_.base = base;
    if (displacement_size != 0) {
      instruction_.displacement = static_cast<std::int32_t>(read_signed(displacement_size));
    }
  }

  void read_immediates(std::uint8_t layout) {
    const std::uint8_t opcode = instruction_.opcode;
    if (instruction_.map == 0 && !instruction_.vector_encoding) {
      if (opcode >= 0xa0 && opcode <= 0xa3) {
        instruction_.immediate = read_signed(short_address_ ? 4 : 8);
        return;
      }
      const bool moves_wide = opcode >= 0xb8 && opcode <= 0xbf && instruction_.wide;
      if (moves_wide) {
        instruction_.immediate = read_signed(8);
        return;
      }
      // TEST has an immediate operand, which the others with these opcodes do not have.
      if ((opcode == 0xf6 || opcode == 0xf7) && (instruction_.reg & 7U) < 2) {
        layout |= opcode == 0xf6 ? byte : full;
      }
    }
    if ((layout & half) != 0) instruction_.immediate = read_signed(2);
    if ((layout & full) != 0) instruction_.immediate = read_signed(full_size());
    if ((layout & byte) != 0) instruction_.immediate = read_signed(1);
  }

  // Branches have 4 bytes whatever the prefixes.
  unsigned full_size() const {
    const bool branch = instruction_.map == 1
                            ? (instruction_.opcode & 0xf0U) == 0x80
                            : instruction_.opcode == 0xe8 || instruction_.opcode == 0xe9;
    return instruction_.narrow && !instruction_.wide && !branch ? 2 : 4;
  }

  const std::uint8_t* bytes_;
  Instruction& instruction_;
  unsigned place_ = 0;
  std::uint8_t rex_ = 0;
  bool short_address_ = false;
  bool failed_ = false;
};

}  // namespace

bool decode(const std::uint8_t* bytes, Instruction* instruction) {
  return Decoder(bytes, instruction).run();
}

}  // namespace gprof_runtime::x86
