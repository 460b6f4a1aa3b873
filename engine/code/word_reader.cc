// Branches of instruction sets with 32-bit instruction words.
//
// A mask selects the few words that can be branches; capstone decodes those and finds the target.
// The masks are the primary opcodes in the architectures' manuals.
#include <algorithm>
#include <array>

#include "engine/code/disassembler.h"
#include "engine/code/instruction_word.h"

namespace gprof {
namespace {

// How many words before the jump the load from its jump table may be.
constexpr std::size_t table_distance = 8;

enum class WordKind : std::uint8_t {
  other,
  direct_call,
  indirect_call,
  direct_jump,
  indirect_jump
};

// --- AArch64 ---

WordKind aarch64_kind(std::uint32_t word) {
  if (matches(word, 0xfc000000, 0x94000000)) return WordKind::direct_call;    // bl
  if (matches(word, 0xfc000000, 0x14000000)) return WordKind::direct_jump;    // b
  if (matches(word, 0xff000010, 0x54000000)) return WordKind::direct_jump;    // b.cond
  if (matches(word, 0x7c000000, 0x34000000)) return WordKind::direct_jump;    // cbz to tbnz
  if (matches(word, 0xfefff000, 0xd63f0000)) return WordKind::indirect_call;  // blr, blraa...
  if (matches(word, 0xfefff000, 0xd61f0000)) return WordKind::indirect_jump;  // br, braa...
  return WordKind::other;
}

bool aarch64_loads_from_table(std::uint32_t word) {
  return matches(word, 0x3b200c00, 0x38200800);  // a load with a register offset
}

// --- ARM ---

WordKind arm_kind(std::uint32_t word) {
  if (matches(word, 0xfe000000, 0xfa000000)) return WordKind::direct_call;  // blx address
  if (matches(word, 0xf0000000, 0xf0000000)) return WordKind::other;
  if (matches(word, 0x0f000000, 0x0b000000)) return WordKind::direct_call;    // bl
  if (matches(word, 0x0f000000, 0x0a000000)) return WordKind::direct_jump;    // b
  if (matches(word, 0x0ffffff0, 0x012fff30)) return WordKind::indirect_call;  // blx register
  if (matches(word, 0x0fffffff, 0x012fff1e)) return WordKind::other;          // bx lr
  if (matches(word, 0x0ffffff0, 0x012fff10)) return WordKind::indirect_jump;  // bx register
  const bool from_stack = matches(word, 0x000f0000, 0x000d0000);
  if (matches(word, 0x0e10f000, 0x0410f000) && !from_stack) {
    return WordKind::indirect_jump;  // ldr pc, [register, #offset]
  }
  return WordKind::other;
}

// --- PowerPC ---

WordKind powerpc_kind(std::uint32_t word) {
  const bool links = (word & 1) != 0;
  if (matches(word, 0xfc000000, 0x48000000)) {  // b, bl
    return links ? WordKind::direct_call : WordKind::direct_jump;
  }
  if (matches(word, 0xfc000000, 0x40000000)) {  // bc, bcl
    return links ? WordKind::direct_call : WordKind::direct_jump;
  }
  if (matches(word, 0xfc0007fe, 0x4c000420)) {  // bcctr, bcctrl
    return links ? WordKind::indirect_call : WordKind::indirect_jump;
  }
  if (matches(word, 0xfc0007ff, 0x4c000021)) return WordKind::indirect_call;  // bclrl
  return WordKind::other;
}

bool powerpc_loads_from_table(std::uint32_t word) {
  if (!matches(word, 0xfc000001, 0x7c000000)) return false;
  const std::uint32_t extended = (word >> 1) & 0x3ff;
  static constexpr std::array<std::uint32_t, 6> indexed_loads = {21, 23, 87, 279, 341, 343};
  return std::ranges::find(indexed_loads, extended) != indexed_loads.end();
}

// --- MIPS ---

WordKind mips_kind(std::uint32_t word) {
  if (matches(word, 0xfc000000, 0x0c000000)) return WordKind::direct_call;    // jal
  if (matches(word, 0xfc000000, 0x08000000)) return WordKind::direct_jump;    // j
  if (matches(word, 0xffff0000, 0x04110000)) return WordKind::direct_call;    // bal
  if (matches(word, 0xffff0000, 0x10000000)) return WordKind::direct_jump;    // b
  if (matches(word, 0xfc00003f, 0x00000009)) return WordKind::indirect_call;  // jalr
  // Functions are entered through register 25; a jump through another is a switch or a return.
  if (matches(word, 0xffe0003f, 0x03200008)) return WordKind::indirect_jump;
  return WordKind::other;
}

// lw or ld of register 25, which position-independent code loads with the address to call.
bool mips_loads_register_25(std::uint32_t word) {
  return matches(word, 0xfc1f0000, 0x8c190000) || matches(word, 0xfc1f0000, 0xdc190000);
}

constexpr std::uint32_t mips_global_pointer = 28;

// move $gp, base (or, addu or daddu with register 0).
bool mips_restores_global_pointer(std::uint32_t word, std::uint32_t base) {
  const std::uint32_t operation = word & 0x3f;
  const bool copies = operation == 0x25 || operation == 0x21 || operation == 0x2d;
  return copies && (word & 0xffffffc0) == (base << 21 | mips_global_pointer << 11);
}

// --- SPARC ---
// A call leaves its own address in %o7, so collectors that pass on %o7 or %i7 unchanged record an
// address eight bytes below the return address reported here.

WordKind sparc_kind(std::uint32_t word) {
  if (matches(word, 0xc0000000, 0x40000000)) return WordKind::direct_call;
  if (matches(word, 0xfdc00000, 0x10800000)) return WordKind::direct_jump;  // ba
  if (matches(word, 0xfdc00000, 0x10400000)) return WordKind::direct_jump;  // ba,pt
  if (!matches(word, 0xc1f80000, 0x81c00000)) return WordKind::other;       // jmpl
  const std::uint32_t destination = word >> 25 & 31;
  const std::uint32_t source = word >> 14 & 31;
  static constexpr std::uint32_t out7 = 15;
  static constexpr std::uint32_t in7 = 31;
  if (destination == out7) return WordKind::indirect_call;
  const bool returns = source == out7 || source == in7;
  return destination == 0 && !returns ? WordKind::indirect_jump : WordKind::other;
}

bool sparc_loads_from_table(std::uint32_t word) {
  return matches(word, 0xc1782000, 0xc0000000) && (word & 31) != 0;  // ld [register + register]
}

// What this reader knows about an architecture.
struct WordSet {
  WordKind (*kind)(std::uint32_t word) = nullptr;
  bool (*loads_from_table)(std::uint32_t word) = nullptr;
  std::uint64_t return_distance = word_size;  // two words if a delay slot follows the branch
};

WordSet word_set(Architecture architecture) {
  switch (architecture) {
    case Architecture::aarch64:
      return {aarch64_kind, aarch64_loads_from_table, word_size};
    case Architecture::arm:
      return {arm_kind, nullptr, word_size};
    case Architecture::powerpc:
      return {powerpc_kind, powerpc_loads_from_table, word_size};
    case Architecture::mips:
      return {mips_kind, nullptr, 2 * word_size};
    case Architecture::sparc:
      return {sparc_kind, sparc_loads_from_table, 2 * word_size};
    default:
      return {};
  }
}

// The last immediate operand: branches that test a register have it before their target.
std::optional<std::int64_t> last_immediate(const cs_insn& instruction, Architecture architecture) {
  std::optional<std::int64_t> found;
  const auto scan = [&found](const auto& operands, std::size_t count, auto immediate_type) {
    for (std::size_t i = 0; i < count; ++i) {
      if (operands[i].type == immediate_type) found = static_cast<std::int64_t>(operands[i].imm);
    }
  };
  const cs_detail& detail = *instruction.detail;
  switch (architecture) {
    case Architecture::aarch64:
      scan(detail.arm64.operands, detail.arm64.op_count, ARM64_OP_IMM);
      break;
    case Architecture::arm:
      scan(detail.arm.operands, detail.arm.op_count, ARM_OP_IMM);
      break;
    case Architecture::powerpc:
      scan(detail.ppc.operands, detail.ppc.op_count, PPC_OP_IMM);
      break;
    case Architecture::mips:
      scan(detail.mips.operands, detail.mips.op_count, MIPS_OP_IMM);
      break;
    case Architecture::sparc:
      scan(detail.sparc.operands, detail.sparc.op_count, SPARC_OP_IMM);
      break;
    default:
      break;
  }
  return found;
}

class WordReader final : public BranchReader::Implementation {
 public:
  WordReader(const CodeFormat& format, std::span<const std::byte> bytes, Address start)
      : Implementation(bytes, start),
        format_(format),
        set_(word_set(format.architecture)),
        disassembler_(format, true) {}

  std::optional<Branch> next() override {
    while (set_.kind != nullptr && at_ + word_size <= bytes_.size()) {
      const std::size_t at = at_;
      const WordKind kind = set_.kind(word_at(at));
      const auto branch = kind == WordKind::other ? std::nullopt : read(at, kind);
      at_ = at + word_size;
      if (branch) return branch;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint32_t word_at(std::size_t at) const {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < word_size; ++i) {
      const std::size_t k = format_.byte_order == ByteOrder::big ? i : word_size - 1 - i;
      word = word << 8 | std::to_integer<std::uint32_t>(bytes_[at + k]);
    }
    return word;
  }

  std::optional<Branch> read(std::size_t at, WordKind kind) {
    Branch branch;
    const bool is_call = kind == WordKind::direct_call || kind == WordKind::indirect_call;
    branch.kind = is_call ? Branch::Kind::call : Branch::Kind::jump;
    branch.address = start_ + at;
    branch.return_address = branch.address + set_.return_distance;
    if (kind == WordKind::direct_call || kind == WordKind::direct_jump) {
      return read_direct(at, branch);
    }
    if (kind == WordKind::indirect_jump && comes_from_table(at)) return std::nullopt;
    if (format_.architecture == Architecture::mips) branch.slot = mips_slot(at);
    if (kind == WordKind::indirect_jump && arm_links_before(at)) branch.kind = Branch::Kind::call;
    return branch;
  }

  std::optional<Branch> read_direct(std::size_t at, Branch branch) {
    const cs_insn* instruction = disassembler_.decode(bytes_.subspan(at, word_size), start_ + at);
    if (instruction == nullptr || instruction->detail == nullptr) return std::nullopt;
    const auto target = last_immediate(*instruction, format_.architecture);
    if (!target) return std::nullopt;
    branch.target = Address{static_cast<std::uint64_t>(*target)};
    if (!format_.wide) branch.target->value &= 0xffffffff;
    // A "call" to the next instruction only reads the program counter.
    const bool asks_position =
        branch.kind == Branch::Kind::call && *branch.target == branch.return_address;
    return asks_position ? std::nullopt : std::optional(branch);
  }

  [[nodiscard]] bool comes_from_table(std::size_t at) const {
    if (format_.architecture == Architecture::arm) {
      return matches(word_at(at), 0x0e10f000, 0x0610f000);  // ldr pc, [register, register]
    }
    if (set_.loads_from_table == nullptr) return false;
    return word_before(at, set_.loads_from_table).has_value();
  }

  // The nearest preceding word that `wanted` accepts.
  [[nodiscard]] std::optional<std::uint32_t> word_before(std::size_t at,
                                                         bool (*wanted)(std::uint32_t)) const {
    for (std::size_t back = 1; back <= table_distance && back * word_size <= at; ++back) {
      const std::uint32_t word = word_at(at - back * word_size);
      if (wanted(word)) return word;
    }
    return std::nullopt;
  }

  // Position-independent MIPS code calls through a register that it loads from the global table.
  [[nodiscard]] std::optional<Address> mips_slot(std::size_t at) const {
    const bool through_25 = (word_at(at) >> 21 & 31) == 25;
    if (!through_25 || !format_.data_base) return std::nullopt;
    const auto load = word_before(at, mips_loads_register_25);
    if (!load || !is_mips_global_pointer(at, *load >> 21 & 31)) return std::nullopt;
    const auto offset = static_cast<std::int16_t>(*load & 0xffff);
    Address slot = *format_.data_base + static_cast<std::uint64_t>(std::int64_t{offset});
    if (!format_.wide) slot.value &= 0xffffffff;
    return slot;
  }

  // The ABI requires the global pointer in its register at a call; clang keeps it in another one
  // and copies it near the call, at the latest in the delay slot.
  [[nodiscard]] bool is_mips_global_pointer(std::size_t at, std::uint32_t base) const {
    if (base == mips_global_pointer) return true;
    const std::size_t first = at - std::min(at, table_distance * word_size);
    for (std::size_t near = first; near <= at + word_size; near += word_size) {
      const bool inside = near + word_size <= bytes_.size();
      if (inside && mips_restores_global_pointer(word_at(near), base)) return true;
    }
    return false;
  }

  // Before ARMv5: mov lr, pc; then a jump.
  [[nodiscard]] bool arm_links_before(std::size_t at) const {
    return format_.architecture == Architecture::arm && at >= word_size &&
           matches(word_at(at - word_size), 0x0fffffff, 0x01a0e00f);
  }

  CodeFormat format_;
  WordSet set_;
  Disassembler disassembler_;
};

}  // namespace

std::unique_ptr<BranchReader::Implementation> make_word_reader(const CodeFormat& format,
                                                               std::span<const std::byte> bytes,
                                                               Address start) {
  return std::make_unique<WordReader>(format, bytes, start);
}

}  // namespace gprof
