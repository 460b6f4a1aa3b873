#include "engine/code/branch_reader.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "engine/code/disassembler.h"

namespace gprof {
namespace {

struct CapstoneTarget {
  cs_arch architecture = CS_ARCH_X86;
  unsigned mode = 0;
};

CapstoneTarget capstone_target(const CodeFormat& format) {
  const unsigned width = format.wide ? CS_MODE_64 : CS_MODE_32;
  const bool big = format.byte_order == ByteOrder::big;
  const unsigned order = big ? static_cast<unsigned>(CS_MODE_BIG_ENDIAN) : 0U;
  switch (format.architecture) {
    case Architecture::x86_64:
      return {CS_ARCH_X86, CS_MODE_64};
    case Architecture::i386:
      return {CS_ARCH_X86, CS_MODE_32};
    case Architecture::aarch64:
      return {CS_ARCH_ARM64, 0};
    case Architecture::arm:
      return {CS_ARCH_ARM, order};
    case Architecture::thumb:
      return {CS_ARCH_ARM, CS_MODE_THUMB | order};
    case Architecture::powerpc:
      return {CS_ARCH_PPC, width | order};
    case Architecture::mips:
      return {CS_ARCH_MIPS, width | order};
    case Architecture::sparc:
      return {CS_ARCH_SPARC, CS_MODE_V9 | order};
    case Architecture::s390x:
      return {CS_ARCH_SYSZ, order};
    case Architecture::riscv:
      break;  // decoded without capstone
  }
  return {};
}

std::unique_ptr<BranchReader::Implementation> make_reader(const CodeFormat& format,
                                                          std::span<const std::byte> bytes,
                                                          Address start) {
  switch (format.architecture) {
    case Architecture::x86_64:
    case Architecture::i386:
      return make_x86_reader(format, bytes, start);
    case Architecture::thumb:
      return make_thumb_reader(format, bytes, start);
    case Architecture::s390x:
      return make_s390_reader(format, bytes, start);
    case Architecture::riscv:
      return make_riscv_reader(format, bytes, start);
    default:
      return make_word_reader(format, bytes, start);
  }
}

// As operator new: calls the new handler, which releases the process's reserve, before failing.
template <typename Attempt>
void* allocate(const Attempt& attempt) {
  for (;;) {
    if (void* memory = attempt()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) return nullptr;
    try {
      handler();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
}

// Capstone 4 does not check its own allocations during setup.
void allocate_with_reserve() {
  static std::once_flag set;
  std::call_once(set, [] {
    cs_opt_mem functions = {};
    functions.malloc = [](std::size_t size) { return allocate([=] { return std::malloc(size); }); };
    functions.calloc = [](std::size_t count, std::size_t size) {
      return allocate([=] { return std::calloc(count, size); });
    };
    functions.realloc = [](void* old, std::size_t size) {
      return allocate([=] { return std::realloc(old, size); });
    };
    functions.free = std::free;
    functions.vsnprintf = std::vsnprintf;
    ::cs_option(0, CS_OPT_MEM, reinterpret_cast<std::size_t>(&functions));
  });
}

// Capstone 4 sorts a table shared by all handles when it prints the first x86 instruction, without
// a lock (its issue 1358): one instruction is decoded here before any two threads do.
void sort_shared_tables(csh handle, cs_insn* instruction) {
  static std::once_flag sorted;
  std::call_once(sorted, [&] {
    constexpr std::array<std::uint8_t, 1> no_operation = {0x90};
    const std::uint8_t* code = no_operation.data();
    std::size_t size = no_operation.size();
    std::uint64_t at = 0;
    ::cs_disasm_iter(handle, &code, &size, &at, instruction);
  });
}

}  // namespace

Disassembler::Disassembler(const CodeFormat& format, bool with_operands) {
  allocate_with_reserve();
  const CapstoneTarget target = capstone_target(format);
  if (::cs_open(target.architecture, static_cast<cs_mode>(target.mode), &handle_) != CS_ERR_OK) {
    handle_ = 0;
    return;
  }
  if (with_operands) ::cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
  instruction_ = ::cs_malloc(handle_);
  if (ready() && target.architecture == CS_ARCH_X86) sort_shared_tables(handle_, instruction_);
}

Disassembler::~Disassembler() {
  if (instruction_ != nullptr) ::cs_free(instruction_, 1);
  if (handle_ != 0) ::cs_close(&handle_);
}

const cs_insn* Disassembler::decode(std::span<const std::byte> bytes, Address address) {
  if (!ready()) return nullptr;
  const auto* code = reinterpret_cast<const std::uint8_t*>(bytes.data());
  std::size_t size = bytes.size();
  std::uint64_t at = address.value;
  return ::cs_disasm_iter(handle_, &code, &size, &at, instruction_) ? instruction_ : nullptr;
}

BranchReader::BranchReader(const CodeFormat& format, std::span<const std::byte> bytes,
                           Address start)
    : implementation_(make_reader(format, bytes, start)) {}

BranchReader::~BranchReader() = default;

void BranchReader::restart(std::span<const std::byte> bytes, Address start) {
  implementation_->restart(bytes, start);
}

std::optional<Branch> BranchReader::next() { return implementation_->next(); }

}  // namespace gprof
