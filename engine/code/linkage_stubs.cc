#include "engine/code/linkage_stubs.h"

#include <algorithm>
#include <array>

#include "engine/code/instruction_word.h"

namespace gprof {
namespace {

// A section's bytes, read in the byte order of code.
class CodeView {
 public:
  CodeView(std::span<const std::byte> bytes, Address start, ByteOrder order)
      : bytes_(bytes), start_(start), order_(order) {}

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] Address address(std::size_t at) const { return start_ + at; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  // 0, which matches no instruction searched for, outside the section.
  [[nodiscard]] std::uint32_t word(std::size_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < word_size) return 0;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < word_size; ++i) {
      const std::size_t k = order_ == ByteOrder::big ? i : word_size - 1 - i;
      value = value << 8 | std::to_integer<std::uint32_t>(bytes_[at + k]);
    }
    return value;
  }
  [[nodiscard]] std::uint32_t word_before(std::size_t at) const {
    return at < word_size ? 0 : word(at - word_size);
  }

 private:
  std::span<const std::byte> bytes_;
  Address start_;
  ByteOrder order_;
};

using Stubs = std::vector<LinkageStub>;

// Optional endbr64 or endbr32; jmp *slot.
void find_x86(const CodeView& code, const CodeFormat& format, Stubs& stubs) {
  static constexpr std::array landing_marks = {0xfa1e0ff3U, 0xfb1e0ff3U};
  BranchReader reader(format, code.bytes(), code.address(0));
  while (const auto branch = reader.next()) {
    if (branch->kind != Branch::Kind::jump || !branch->slot) continue;
    stubs.push_back({branch->address, *branch->slot});
    const std::uint32_t before = code.word_before(branch->address - code.address(0));
    if (std::ranges::find(landing_marks, before) != landing_marks.end()) {
      stubs.push_back({branch->address - word_size, *branch->slot});
    }
  }
}

// Optional bti c; adrp x16, page; ldr x17, [x16, #offset].
void find_aarch64(const CodeView& code, const CodeFormat&, Stubs& stubs) {
  static constexpr std::uint32_t landing_mark = 0xd503245f;
  for (std::size_t at = 0; at + 2 * word_size <= code.size(); at += word_size) {
    const std::uint32_t page_word = code.word(at);
    const std::uint32_t load = code.word(at + word_size);
    const bool wide_load = matches(load, 0xffc003ff, 0xf9400211);
    if (!matches(page_word, 0x9f00001f, 0x90000010) || !wide_load) continue;
    const std::uint64_t pages = ((page_word >> 5 & 0x7ffff) << 2) | (page_word >> 29 & 3);
    const Address page{(code.address(at).value & ~std::uint64_t{0xfff}) +
                       (sign_extended(pages, 21) << 12)};
    const Address slot = page + std::uint64_t{load >> 10 & 0xfff} * 8;
    stubs.push_back({code.address(at), slot});
    if (code.word_before(at) == landing_mark) stubs.push_back({code.address(at) - word_size, slot});
  }
}

std::uint32_t arm_immediate(std::uint32_t word) {
  const std::uint32_t rotation = 2 * (word >> 8 & 0xf);
  const std::uint32_t value = word & 0xff;
  return rotation == 0 ? value : value >> rotation | value << (32 - rotation);
}

// Optional bx pc; nop (for Thumb); add ip, pc, #a; add ip, ip, #b...; ldr pc, [ip, #c]!
void find_arm(const CodeView& code, const CodeFormat&, Stubs& stubs) {
  for (std::size_t at = 0; at + 2 * word_size <= code.size(); at += word_size) {
    if (!matches(code.word(at), 0xfffff000, 0xe28fc000)) continue;
    static constexpr std::uint64_t pipeline = 8;
    std::uint64_t value = code.address(at).value + pipeline + arm_immediate(code.word(at));
    std::size_t next = at + word_size;
    for (; matches(code.word(next), 0xfffff000, 0xe28cc000); next += word_size) {
      value += arm_immediate(code.word(next));
    }
    if (!matches(code.word(next), 0xffdff000, 0xe59cf000) &&
        !matches(code.word(next), 0xfffff000, 0xe5bcf000)) {
      continue;
    }
    const Address slot{(value + (code.word(next) & 0xfff)) & 0xffffffff};
    stubs.push_back({code.address(at), slot});
    static constexpr std::uint32_t from_thumb = 0x46c04778;
    if (code.word_before(at) == from_thumb) stubs.push_back({code.address(at) - word_size, slot});
  }
}

// lui $15, high; lw or ld $25, low($15).
void find_mips(const CodeView& code, const CodeFormat&, Stubs& stubs) {
  for (std::size_t at = 0; at + 2 * word_size <= code.size(); at += word_size) {
    const std::uint32_t load = code.word(at + word_size);
    const bool loads =
        matches(load, 0xffff0000, 0x8df90000) || matches(load, 0xffff0000, 0xddf90000);
    if (!matches(code.word(at), 0xffff0000, 0x3c0f0000) || !loads) continue;
    const std::uint64_t high = std::uint64_t{code.word(at) & 0xffff} << 16;
    const Address slot{(high + sign_extended(load & 0xffff, 16)) & 0xffffffff};
    stubs.push_back({code.address(at), slot});
  }
}

// larl %r1, slot.
void find_s390(const CodeView& code, const CodeFormat&, Stubs& stubs) {
  static constexpr std::size_t half_word = 2;
  for (std::size_t at = 0; at + 3 * half_word <= code.size(); at += half_word) {
    if (!matches(code.word(at), 0xffff0000, 0xc0100000)) continue;
    const std::uint64_t half_words = sign_extended(code.word(at + half_word), 32);
    stubs.push_back({code.address(at), code.address(at) + 2 * half_words});
  }
}

// 64 bit: optional std r2, 24(r1); addis r12, r2, high; ld r12, low(r12).
// 32 bit: lis r11, high; lwz r11, low(r11). Both continue: mtctr; bctr.
void find_powerpc(const CodeView& code, const CodeFormat& format, Stubs& stubs) {
  static constexpr std::uint32_t save_table_pointer = 0xf8410018;
  static constexpr std::uint32_t jump = 0x4e800420;
  for (std::size_t at = 0; at + 4 * word_size <= code.size(); at += word_size) {
    if (code.word(at + 3 * word_size) != jump) continue;
    const std::uint32_t first = code.word(at);
    const std::uint32_t load = code.word(at + word_size);
    const bool wide =
        matches(first, 0xffff0000, 0x3d820000) && matches(load, 0xffff0003, 0xe98c0000);
    const bool narrow =
        matches(first, 0xffff0000, 0x3d600000) && matches(load, 0xffff0000, 0x816b0000);
    if (!(wide && format.data_base) && !narrow) continue;
    const std::uint64_t offset =
        (sign_extended(first & 0xffff, 16) << 16) + sign_extended(load & 0xffff, 16);
    const Address slot = wide ? *format.data_base + offset : Address{offset & 0xffffffff};
    stubs.push_back({code.address(at), slot});
    if (wide && code.word_before(at) == save_table_pointer) {
      stubs.push_back({code.address(at) - word_size, slot});
    }
  }
}

// auipc t3, high; lw or ld t3, low(t3); jalr t1, t3.
void find_riscv(const CodeView& code, const CodeFormat& format, Stubs& stubs) {
  static constexpr std::uint32_t jump = 0x000e0367;
  for (std::size_t at = 0; at + 3 * word_size <= code.size(); at += word_size) {
    const std::uint32_t high = code.word(at);
    const std::uint32_t load = code.word(at + word_size);
    const bool loads =
        matches(load, 0x000fffff, 0x000e3e03) || matches(load, 0x000fffff, 0x000e2e03);
    const bool is_stub =
        matches(high, 0xfff, 0xe17) && loads && code.word(at + 2 * word_size) == jump;
    if (!is_stub) continue;
    const std::uint64_t slot = code.address(at).value + sign_extended(high & 0xfffff000, 32) +
                               sign_extended(load >> 20, 12);
    stubs.push_back({code.address(at), Address{format.wide ? slot : slot & 0xffffffff}});
  }
}

using Finder = void (*)(const CodeView&, const CodeFormat&, Stubs&);

Finder finder_of(Architecture architecture) {
  switch (architecture) {
    case Architecture::x86_64:
    case Architecture::i386:
      return find_x86;
    case Architecture::aarch64:
      return find_aarch64;
    case Architecture::arm:
    case Architecture::thumb:
      return find_arm;
    case Architecture::mips:
      return find_mips;
    case Architecture::s390x:
      return find_s390;
    case Architecture::powerpc:
      return find_powerpc;
    case Architecture::riscv:
      return find_riscv;
    case Architecture::sparc:
      break;
  }
  return nullptr;
}

// PowerPC's linkers put the stubs between the code.
bool may_hold_stubs(const Section& section, Architecture architecture) {
  if (!section.allocated() || !section.executable()) return false;
  return architecture == Architecture::powerpc || section.name.starts_with(".plt") ||
         section.name.starts_with(".iplt");
}

}  // namespace

std::vector<LinkageStub> find_linkage_stubs(const Image& image, const CodeFormat& format) {
  Stubs stubs;
  const Finder find = finder_of(format.architecture);
  if (find == nullptr) return stubs;
  for (const Section& section : image.sections()) {
    if (!may_hold_stubs(section, format.architecture)) continue;
    const auto bytes = image.section_bytes(section);
    if (bytes) find(CodeView(*bytes, section.address, format.byte_order), format, stubs);
  }
  return stubs;
}

}  // namespace gprof
