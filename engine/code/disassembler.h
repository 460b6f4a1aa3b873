// An open capstone handle and its one instruction. Only for engine/code's own files.
//
// Thread contract: one thread. Errors: not ready() if capstone was built without the architecture.
#pragma once

#include <span>

#include <capstone.h>

#include "engine/code/branch_reader.h"

namespace gprof {

class Disassembler {
 public:
  // `with_operands` about doubles the cost of decoding.
  Disassembler(const CodeFormat& format, bool with_operands);
  ~Disassembler();
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  [[nodiscard]] bool ready() const { return instruction_ != nullptr; }
  // The instruction at the start of `bytes`; null if there is none. Valid until the next call.
  [[nodiscard]] const cs_insn* decode(std::span<const std::byte> bytes, Address address);

 private:
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

// One per family of instruction sets, chosen by BranchReader.
class BranchReader::Implementation {
 public:
  Implementation(std::span<const std::byte> bytes, Address start) : bytes_(bytes), start_(start) {}
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  virtual ~Implementation() = default;
  virtual std::optional<Branch> next() = 0;
  virtual void restart(std::span<const std::byte> bytes, Address start) {
    bytes_ = bytes;
    start_ = start;
    at_ = 0;
  }

 protected:
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_.subspan(at_); }
  [[nodiscard]] Address address() const { return start_ + at_; }

  std::span<const std::byte> bytes_;
  Address start_;
  std::size_t at_ = 0;
};

[[nodiscard]] std::unique_ptr<BranchReader::Implementation> make_x86_reader(
    const CodeFormat& format, std::span<const std::byte> bytes, Address start);
[[nodiscard]] std::unique_ptr<BranchReader::Implementation> make_word_reader(
    const CodeFormat& format, std::span<const std::byte> bytes, Address start);
[[nodiscard]] std::unique_ptr<BranchReader::Implementation> make_thumb_reader(
    const CodeFormat& format, std::span<const std::byte> bytes, Address start);
[[nodiscard]] std::unique_ptr<BranchReader::Implementation> make_s390_reader(
    const CodeFormat& format, std::span<const std::byte> bytes, Address start);
[[nodiscard]] std::unique_ptr<BranchReader::Implementation> make_riscv_reader(
    const CodeFormat& format, std::span<const std::byte> bytes, Address start);

}  // namespace gprof
