// What the machine code says about calls: where a function calls what, and whether it counts its
// calls. By real disassembly (capstone).
//
// Units: link-time addresses. Ownership: holds the image alive. Thread contract: const members may
// be called from any thread (each call uses a disassembler of its own).
// Errors: none; an architecture that is not known gives no instructions (see knows_architecture).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/object/image.h"
#include "engine/support/units.h"

namespace gprof {

struct CallInstruction {
  Address address;         // of the instruction
  Address return_address;  // what from_pc would be: the next instruction (after a delay slot)
  // A direct call's or jump's target; none for one through a register or memory.
  std::optional<Address> target;
  // The imported function's name where the target is a PLT stub or a GOT slot.
  std::string import_name;
  bool is_jump = false;  // a jump out of the scanned range: a tail call
};

class MachineCode {
 public:
  explicit MachineCode(std::shared_ptr<const Image> image);
  // `counting_functions` is asked for them once, when they are first needed, in place of the
  // image's symbol tables.
  using CountingFunctions = std::function<std::vector<std::uint64_t>()>;
  MachineCode(std::shared_ptr<const Image> image, CountingFunctions counting_functions);
  ~MachineCode();
  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;

  [[nodiscard]] bool knows_architecture() const;
  // Calls in the range, ascending, and jumps that leave it.
  [[nodiscard]] std::vector<CallInstruction> calls_in(AddressRange range) const;
  // Whether code in the range calls mcount, _mcount, __mcount, __fentry__, __gnu_mcount_nc or
  // __cyg_profile_func_enter. Stops at the first. None where the architecture is not known.
  [[nodiscard]] std::optional<bool> counts_its_calls(AddressRange range) const;
  // Where such calls in the range return to, ascending. Empty where the architecture is not known.
  [[nodiscard]] std::vector<Address> counting_returns_in(AddressRange range) const;
  // The addresses of collectors' functions that are part of the image (a static program),
  // ascending.
  [[nodiscard]] std::vector<std::uint64_t> counting_functions() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The addresses of collectors' functions in one of the image's symbol tables (SHT_SYMTAB,
// SHT_DYNSYM).
[[nodiscard]] std::vector<std::uint64_t> counting_functions_in(const Image& image,
                                                               std::uint32_t table_type);

// Names of the functions by which collectors count calls.
[[nodiscard]] bool is_counting_function(std::string_view linkage_name);

}  // namespace gprof
