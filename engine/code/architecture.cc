#include "engine/code/architecture.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <elf.h>
#include <fmt/format.h>

#include "engine/object/raw_symbols.h"

namespace gprof {
namespace {

constexpr std::uint32_t arm_be8_flag = 0x00800000;           // EF_ARM_BE8
constexpr std::uint32_t mips_compressed_flags = 0x06000000;  // microMIPS and MIPS16

struct MachineName {
  std::uint16_t machine = EM_NONE;  // EM_*
  std::string_view name;
};

// Those that no reader decodes and that people profile on.
constexpr std::array machine_names = {
    MachineName{EM_XTENSA, "Xtensa"},
    MachineName{EM_MIPS, "microMIPS or MIPS16"},
    MachineName{EM_AVR, "AVR"},
    MachineName{EM_MSP430, "MSP430"},
    MachineName{EM_ARCV2, "ARC"},
    MachineName{EM_ARC_COMPACT, "ARC"},
    MachineName{EM_LOONGARCH, "LoongArch"},
    MachineName{EM_68K, "M68k"},
    MachineName{EM_SH, "SuperH"},
    MachineName{EM_PARISC, "PA-RISC"},
    MachineName{EM_ALPHA, "Alpha"},
    MachineName{EM_IA_64, "Itanium"},
    MachineName{EM_MICROBLAZE, "MicroBlaze"},
    MachineName{EM_ALTERA_NIOS2, "Nios II"},
    MachineName{EM_OPENRISC, "OpenRISC"},
    MachineName{EM_TRICORE, "TriCore"},
    MachineName{EM_V850, "V850"},
    MachineName{EM_RX, "RX"},
    MachineName{EM_QDSP6, "Hexagon"},
    MachineName{EM_CSKY, "C-SKY"},
};

// "$a", "$t", "$x", "$d", alone or with a suffix after a dot; of RISC-V also "$xrv64gc".
char mapping_letter(std::string_view name) {
  if (name.size() < 2 || name[0] != '$') return '\0';
  if (name.size() > 2 && name[2] != '.' && !name.starts_with("$xrv")) return '\0';
  return name[1];
}

}  // namespace

std::optional<Architecture> architecture_of(const Image& image) {
  switch (image.machine()) {
    case EM_X86_64:
      return Architecture::x86_64;
    case EM_386:
      return Architecture::i386;
    case EM_AARCH64:
      return Architecture::aarch64;
    case EM_ARM:
      return Architecture::arm;
    case EM_PPC:
    case EM_PPC64:
      return Architecture::powerpc;
    case EM_MIPS:
      if ((image.processor_flags() & mips_compressed_flags) != 0) return std::nullopt;
      return Architecture::mips;
    case EM_SPARC:
    case EM_SPARC32PLUS:
    case EM_SPARCV9:
      return Architecture::sparc;
    case EM_S390:
      return Architecture::s390x;
    case EM_RISCV:
      return Architecture::riscv;
    default:
      return std::nullopt;
  }
}

std::string machine_name(const Image& image) {
  const auto* const found =
      std::ranges::find(machine_names, image.machine(), &MachineName::machine);
  return found != machine_names.end() ? std::string(found->name)
                                      : fmt::format("machine {}", image.machine());
}

ByteOrder code_byte_order(const Image& image) {
  if (image.machine() == EM_AARCH64 || image.machine() == EM_RISCV) return ByteOrder::little;
  if (image.machine() == EM_ARM && (image.processor_flags() & arm_be8_flag) != 0) {
    return ByteOrder::little;
  }
  return image.byte_order();
}

CodeRegions::CodeRegions(const Image& image) : main_(architecture_of(image)) {
  const bool has_mapping_symbols =
      main_ == Architecture::arm || main_ == Architecture::aarch64 || main_ == Architecture::riscv;
  if (!has_mapping_symbols) return;
  add_marks(image, SHT_SYMTAB);
  if (marks_.empty()) add_marks(image, SHT_DYNSYM);
  std::ranges::stable_sort(marks_, {}, &Mark::address);
}

void CodeRegions::add_marks(const Image& image, std::uint32_t section_type) {
  const Section* table = find_symbol_section(image, section_type);
  if (table == nullptr) return;
  const auto read = read_raw_symbols(image, *table);
  if (!read) return;
  std::vector<Mark> from_functions;
  for (const RawSymbol& symbol : *read) {
    if (!symbol.is_defined()) continue;
    const char letter = mapping_letter(symbol.name);
    if (letter == 'a') marks_.push_back({Address{symbol.value}, Architecture::arm});
    if (letter == 't') marks_.push_back({Address{symbol.value}, Architecture::thumb});
    if (letter == 'x') marks_.push_back({Address{symbol.value}, main_});
    if (letter == 'd') marks_.push_back({Address{symbol.value}, std::nullopt});
    if (main_ == Architecture::arm && symbol.is_function()) {
      const bool thumb = (symbol.value & 1) != 0;
      from_functions.push_back({Address{symbol.value & ~std::uint64_t{1}},
                                thumb ? Architecture::thumb : Architecture::arm});
    }
  }
  if (marks_.empty()) marks_ = std::move(from_functions);
}

std::vector<CodeRegions::Region> CodeRegions::parts_of(AddressRange range) const {
  std::vector<Region> parts;
  if (range.empty()) return parts;
  auto mark = std::ranges::upper_bound(marks_, range.low, {}, &Mark::address);
  auto architecture = mark == marks_.begin() ? main_ : std::prev(mark)->architecture;
  Address low = range.low;
  for (; mark != marks_.end() && mark->address < range.high; ++mark) {
    if (low < mark->address) parts.push_back({{low, mark->address}, architecture});
    low = mark->address;
    architecture = mark->architecture;
  }
  parts.push_back({{low, range.high}, architecture});
  return parts;
}

}  // namespace gprof
