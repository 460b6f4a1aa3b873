// Finds the branches in a range of machine code, in order, by disassembly (capstone, and our own of
// RISC-V).
//
// Units: link-time addresses. Ownership: borrows the bytes. Thread contract: one thread; each
// reader opens its own disassembler. Errors: none; bytes that are not instructions are skipped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "engine/code/architecture.h"
#include "engine/support/units.h"

namespace gprof {

struct Branch {
  enum class Kind : std::uint8_t { call, jump };
  Kind kind = Kind::call;
  Address address;
  Address return_address;         // where a call returns to; after the delay slot
  std::optional<Address> target;  // of a direct branch
  // The memory that an indirect branch takes its target from, if the instruction itself shows it.
  std::optional<Address> slot;
};

struct CodeFormat {
  Architecture architecture = Architecture::x86_64;
  ByteOrder byte_order = ByteOrder::little;
  bool wide = true;  // 64-bit registers
  // What position-independent code adds its offsets to, on architectures with such a register: the
  // global offset table's base (i386: %ebx; MIPS: $gp).
  std::optional<Address> data_base;
};

class BranchReader {
 public:
  BranchReader(const CodeFormat& format, std::span<const std::byte> bytes, Address start);
  ~BranchReader();
  BranchReader(const BranchReader&) = delete;
  BranchReader& operator=(const BranchReader&) = delete;

  // Continues with other code of the same format. Cheaper than a new reader, whose disassembler
  // would have to be set up again.
  void restart(std::span<const std::byte> bytes, Address start);

  // The next call or jump; skips jumps through a table (a switch) and returns.
  [[nodiscard]] std::optional<Branch> next();

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace gprof
