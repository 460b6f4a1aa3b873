// Branches of RISC-V code, plain and compressed (the C extension), for 32 and 64 bits.
//
// Decoded here, as capstone 4 has no operands of compressed branches and neither version joins the
// pair of instructions (auipc, jalr) that most calls are. Source: The RISC-V Instruction Set
// Manual, volume I, chapters 2 and 16 (opcodes and immediates) and the calling convention
// (registers 1 and 5 link).
#include <algorithm>

#include "engine/code/disassembler.h"
#include "engine/code/instruction_word.h"

namespace gprof {
namespace {

constexpr unsigned return_register = 1;
constexpr unsigned other_link_register = 5;
// How many instructions before a jump its table's index may be scaled.
constexpr unsigned max_table_distance = 8;

bool links(unsigned register_number) {
  return register_number == return_register || register_number == other_link_register;
}

// Bits `from` and below, `count` of them.
constexpr std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) {
  return word >> low & ((1U << count) - 1);
}

std::uint64_t jal_offset(std::uint32_t word) {
  const std::uint32_t offset = bits(word, 31, 1) << 20 | bits(word, 12, 8) << 12 |
                               bits(word, 20, 1) << 11 | bits(word, 21, 10) << 1;
  return sign_extended(offset, 21);
}

std::uint64_t compressed_jump_offset(std::uint32_t half) {
  const std::uint32_t offset = bits(half, 12, 1) << 11 | bits(half, 8, 1) << 10 |
                               bits(half, 9, 2) << 8 | bits(half, 6, 1) << 7 |
                               bits(half, 7, 1) << 6 | bits(half, 2, 1) << 5 |
                               bits(half, 11, 1) << 4 | bits(half, 3, 3) << 1;
  return sign_extended(offset, 12);
}

// The first bits give the length (chapter 1, "Expanded Instruction-Length Encoding").
std::size_t length_of(std::uint32_t half) {
  if ((half & 3) != 3) return 2;
  if ((half & 0x1c) != 0x1c) return 4;
  return (half & 0x20) == 0 ? 6 : 8;
}

class RiscvReader final : public BranchReader::Implementation {
 public:
  RiscvReader(const CodeFormat& format, std::span<const std::byte> bytes, Address start)
      : Implementation(bytes, start), is_wide_(format.wide) {}

  void restart(std::span<const std::byte> bytes, Address start) override {
    Implementation::restart(bytes, start);
    known_ = {};
    since_scaling_ = max_table_distance + 1;
  }

  std::optional<Branch> next() override {
    while (at_ + 2 <= bytes_.size()) {
      const std::uint32_t half = part(0);
      const std::size_t length = length_of(half);
      if (at_ + length > bytes_.size()) break;
      since_scaling_ = std::min(since_scaling_ + 1, max_table_distance + 1);
      const auto branch = length == 2   ? read_compressed(half)
                          : length == 4 ? read_plain(half | part(1) << 16)
                                        : std::nullopt;
      at_ += length;
      if (branch) return branch;
    }
    return std::nullopt;
  }

 private:
  // What a register holds after auipc and what follows it.
  struct Known {
    unsigned register_number = 0;  // 0: nothing is known
    std::uint64_t value = 0;
    bool is_loaded = false;  // from the memory at that address
  };

  // Instructions are little-endian, whatever the data is.
  [[nodiscard]] std::uint32_t part(std::size_t half) const {
    const std::size_t at = at_ + 2 * half;
    return std::to_integer<std::uint32_t>(bytes_[at]) |
           std::to_integer<std::uint32_t>(bytes_[at + 1]) << 8;
  }
  [[nodiscard]] Address target(std::uint64_t value) const {
    return {is_wide_ ? value : value & 0xffffffff};
  }

  [[nodiscard]] Branch branch_of(Branch::Kind kind, std::size_t length) const {
    Branch branch;
    branch.kind = kind;
    branch.address = address();
    branch.return_address = address() + length;
    return branch;
  }

  [[nodiscard]] std::optional<Branch> direct(unsigned link, std::uint64_t offset,
                                             std::size_t length) const {
    Branch branch = branch_of(links(link) ? Branch::Kind::call : Branch::Kind::jump, length);
    branch.target = target(address().value + offset);
    return branch;
  }

  // `link` is 0 for a jump.
  std::optional<Branch> indirect(unsigned link, unsigned base, std::uint64_t offset,
                                 std::size_t length) {
    const Known known = base != 0 && known_.register_number == base ? known_ : Known();
    known_ = {};
    const bool is_call = links(link);
    Branch branch = branch_of(is_call ? Branch::Kind::call : Branch::Kind::jump, length);
    if (known.register_number != 0 && known.is_loaded) {
      branch.slot = target(known.value);
      return branch;
    }
    if (known.register_number != 0) {
      branch.target = target(known.value + offset);
      return branch;
    }
    const bool returns = !is_call && links(base);
    const bool is_from_table = !is_call && since_scaling_ <= max_table_distance;
    return returns || is_from_table ? std::nullopt : std::optional(branch);
  }

  std::optional<Branch> read_plain(std::uint32_t word) {
    const unsigned destination = bits(word, 7, 5);
    const unsigned source = bits(word, 15, 5);
    const unsigned function = bits(word, 12, 3);
    const std::uint64_t immediate = sign_extended(bits(word, 20, 12), 12);
    switch (word & 0x7f) {
      case 0x6f:  // jal
        known_ = {};
        return direct(destination, jal_offset(word), word_size);
      case 0x67:  // jalr
        return indirect(destination, source, immediate, word_size);
      case 0x17:  // auipc
        known_ = {destination, address().value + sign_extended(word & 0xfffff000, 32), false};
        return std::nullopt;
      case 0x13:  // addi, slli
        if (function == 1) since_scaling_ = 0;
        if (function == 0 && follows_known(source)) {
          known_ = {destination, known_.value + immediate, false};
          return std::nullopt;
        }
        break;
      case 0x03:  // lw, ld
        if ((function == 2 || function == 3) && follows_known(source)) {
          known_ = {destination, known_.value + immediate, true};
          return std::nullopt;
        }
        break;
      case 0x33:  // sh1add, sh2add, sh3add
        if (bits(word, 25, 7) == 0x10) since_scaling_ = 0;
        break;
      default:
        break;
    }
    // Stores and branches have no destination; their bits there forget too much at worst.
    if (destination == known_.register_number) known_ = {};
    return std::nullopt;
  }

  [[nodiscard]] bool follows_known(unsigned source) const {
    return source != 0 && known_.register_number == source && !known_.is_loaded;
  }

  std::optional<Branch> read_compressed(std::uint32_t half) {
    const unsigned quadrant = half & 3;
    const unsigned function = bits(half, 13, 3);
    const unsigned destination = bits(half, 7, 5);
    if (quadrant == 1 && function == 5) {  // c.j
      return direct(0, compressed_jump_offset(half), 2);
    }
    if (quadrant == 1 && function == 1 && !is_wide_) {  // c.jal
      known_ = {};
      return direct(return_register, compressed_jump_offset(half), 2);
    }
    const bool is_register_jump =
        quadrant == 2 && function == 4 && bits(half, 2, 5) == 0 && destination != 0;
    if (is_register_jump) {  // c.jr, c.jalr
      const bool is_call = bits(half, 12, 1) != 0;
      return indirect(is_call ? return_register : 0, destination, 0, 2);
    }
    if (quadrant == 2 && function == 0) since_scaling_ = 0;  // c.slli
    // Those of quadrant 0 and some of quadrant 1 write one of eight registers, by three bits.
    const unsigned short_destination = 8 + bits(half, quadrant == 0 ? 2 : 7, 3);
    if (destination == known_.register_number || short_destination == known_.register_number) {
      known_ = {};
    }
    return std::nullopt;
  }

  const bool is_wide_;
  Known known_;
  unsigned since_scaling_ = max_table_distance + 1;
};

}  // namespace

std::unique_ptr<BranchReader::Implementation> make_riscv_reader(const CodeFormat& format,
                                                                std::span<const std::byte> bytes,
                                                                Address start) {
  return std::make_unique<RiscvReader>(format, bytes, start);
}

}  // namespace gprof
