// Branches of Thumb and s390x code, whose instructions differ in length.
#include "engine/code/disassembler.h"

namespace gprof {
namespace {

class ThumbReader final : public BranchReader::Implementation {
 public:
  ThumbReader(const CodeFormat& format, std::span<const std::byte> bytes, Address start)
      : Implementation(bytes, start), disassembler_(format, true) {}

  std::optional<Branch> next() override {
    static constexpr std::size_t smallest = 2;
    while (disassembler_.ready() && at_ < bytes_.size()) {
      const cs_insn* instruction = disassembler_.decode(rest(), address());
      if (instruction == nullptr || instruction->detail == nullptr) {
        at_ += smallest;
        continue;
      }
      at_ += instruction->size;
      if (auto branch = classify(*instruction)) return branch;
    }
    return std::nullopt;
  }

 private:
  static std::optional<Branch> classify(const cs_insn& instruction) {
    Branch branch;
    branch.address = Address{instruction.address};
    branch.return_address = Address{instruction.address + instruction.size};
    const cs_arm& arm = instruction.detail->arm;
    const cs_arm_op* last = arm.op_count > 0 ? &arm.operands[arm.op_count - 1] : nullptr;
    switch (instruction.id) {
      case ARM_INS_BL:
      case ARM_INS_BLX:
        break;
      case ARM_INS_B:
        // A short conditional branch never leaves its function; a linker's padding looks like one.
        if (instruction.size == 2 && arm.cc != ARM_CC_AL) return std::nullopt;
        branch.kind = Branch::Kind::jump;
        break;
      case ARM_INS_BX:
        if (last != nullptr && last->type == ARM_OP_REG && last->reg == ARM_REG_LR) {
          return std::nullopt;
        }
        branch.kind = Branch::Kind::jump;
        break;
      default:
        return std::nullopt;
    }
    if (last != nullptr && last->type == ARM_OP_IMM) {
      branch.target = Address{static_cast<std::uint32_t>(last->imm)};
    }
    return branch;
  }

  Disassembler disassembler_;
};

class S390Reader final : public BranchReader::Implementation {
 public:
  S390Reader(const CodeFormat& format, std::span<const std::byte> bytes, Address start)
      : Implementation(bytes, start), disassembler_(format, true) {}

  std::optional<Branch> next() override {
    while (at_ < bytes_.size()) {
      const std::size_t size = instruction_size(std::to_integer<unsigned>(bytes_[at_]));
      if (size > rest().size()) break;
      const auto branch = classify(rest().first(size));
      at_ += size;
      if (branch) return branch;
    }
    return std::nullopt;
  }

 private:
  enum class Form : std::uint8_t {
    other,
    relative_call,
    register_call,
    relative_jump,
    register_jump
  };

  // The two highest bits of the first byte give the length.
  static std::size_t instruction_size(unsigned first) {
    if (first < 0x40) return 2;
    return first < 0xc0 ? 4 : 6;
  }

  static Form form_of(std::span<const std::byte> code) {
    const auto first = std::to_integer<unsigned>(code[0]);
    const auto second = std::to_integer<unsigned>(code[1]);
    if (first == 0xc0 || first == 0xa7) {
      if ((second & 0xf) == 5) return Form::relative_call;  // brasl, bras
      return (second & 0xf) == 4 && second != 0x04 ? Form::relative_jump
                                                   : Form::other;  // brcl, brc
    }
    const bool to_register_0 = (second & 0xf) == 0;
    if (first == 0x0d && !to_register_0) return Form::register_call;  // basr
    static constexpr unsigned branch_always_to_14 = 0xfe;             // a return
    const bool always = (second & 0xf0) == 0xf0;
    if (first == 0x07 && always && !to_register_0 && second != branch_always_to_14) {
      return Form::register_jump;
    }
    return Form::other;
  }

  std::optional<Branch> classify(std::span<const std::byte> code) {
    const Form form = form_of(code);
    if (form == Form::other) return std::nullopt;
    Branch branch;
    const bool is_call = form == Form::relative_call || form == Form::register_call;
    branch.kind = is_call ? Branch::Kind::call : Branch::Kind::jump;
    branch.address = address();
    branch.return_address = address() + code.size();
    if (form == Form::register_call || form == Form::register_jump) return branch;
    const cs_insn* instruction = disassembler_.decode(code, address());
    if (instruction == nullptr || instruction->detail == nullptr) return std::nullopt;
    const cs_sysz& detail = instruction->detail->sysz;
    for (std::size_t i = 0; i < detail.op_count; ++i) {
      if (detail.operands[i].type == SYSZ_OP_IMM) {
        branch.target = Address{static_cast<std::uint64_t>(detail.operands[i].imm)};
      }
    }
    return branch.target ? std::optional(branch) : std::nullopt;
  }

  Disassembler disassembler_;
};

}  // namespace

std::unique_ptr<BranchReader::Implementation> make_thumb_reader(const CodeFormat& format,
                                                                std::span<const std::byte> bytes,
                                                                Address start) {
  return std::make_unique<ThumbReader>(format, bytes, start);
}

std::unique_ptr<BranchReader::Implementation> make_s390_reader(const CodeFormat& format,
                                                               std::span<const std::byte> bytes,
                                                               Address start) {
  return std::make_unique<S390Reader>(format, bytes, start);
}

}  // namespace gprof
