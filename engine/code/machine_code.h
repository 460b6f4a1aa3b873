// What the machine code says about calls: where a function calls what, and whether it counts its
// calls. Found by disassembly (capstone).
//
// Units: link-time addresses. Ownership: keeps the image alive. Thread contract: const members may
// be called from any thread (each call uses a disassembler of its own).
// Errors: none; an unknown architecture yields no instructions (see knows_architecture).
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
  // Target of a direct call or jump; none if through a register or memory.
  std::optional<Address> target;
  // The imported function's name if the target is a PLT stub or a GOT slot.
  std::string import_name;
  bool is_jump = false;  // a jump out of the scanned range: a tail call
};

class MachineCode {
 public:
  explicit MachineCode(std::shared_ptr<const Image> image);
  // If set, `counting_functions` is called once, when they are first needed, instead of reading the
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
  // __cyg_profile_func_enter. Stops at the first. None if the architecture is unknown.
  [[nodiscard]] std::optional<bool> counts_its_calls(AddressRange range) const;
  // Return addresses of such calls in the range, ascending. Empty if the architecture is unknown.
  [[nodiscard]] std::vector<Address> counting_returns_in(AddressRange range) const;
  // The addresses of the collectors' functions contained in the image (a static program),
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

// Whether collectors count calls through a function of that name.
[[nodiscard]] bool is_counting_function(std::string_view linkage_name);

}  // namespace gprof
