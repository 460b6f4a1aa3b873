// The names under which the program's own code imports the functions that it calls: sin, whatever
// code of the library runs for it (__sin_fma).
//
// Ownership: borrows symbols and code; caches the calls of each function that was asked for.
// Thread contract: one thread. Errors: none; a call that is not of an imported function has no
// name.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/code/machine_code.h"
#include "engine/object/symbol_table.h"
#include "engine/support/units.h"

namespace gprof {

class ImportedNames {
 public:
  ImportedNames(const SymbolTable& symbols, const MachineCode& code)
      : symbols_(symbols), code_(code) {}

  // Of the function that the call instruction with this last byte calls, where code of `module` was
  // reached; empty if it is not a call of an imported function. The dynamic linker, which runs at
  // the first call of an imported function, is not what was called.
  [[nodiscard]] std::string_view at(Address call, std::string_view module);

 private:
  using Names = std::map<Address, std::string>;

  [[nodiscard]] Names names_of(const Symbol& symbol) const;

  const SymbolTable& symbols_;
  const MachineCode& code_;
  std::map<SymbolIndex, Names> by_symbol_;
};

}  // namespace gprof
