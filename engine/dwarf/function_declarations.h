// Where the functions of the units read so far are declared. Features that ask for the declarations
// of many functions ask by descending time, which goes back and forth between the units.
//
// Memory: 32 bytes for each range of a function's code. Thread contract: any thread; locked inside.
// Errors: none.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/dwarf/debug_information.h"

namespace gprof::dwarf {

class FunctionDeclarations {
 public:
  void add(UnitIndex unit, const UnitFunctions& functions);
  [[nodiscard]] bool has(UnitIndex unit) const;
  // Of the function of a unit that was added whose code holds the address.
  [[nodiscard]] std::optional<Declaration> find(UnitIndex unit, Address address) const;

 private:
  struct Declared {
    AddressRange range;
    Declaration declaration;
  };

  mutable std::mutex mutex_;
  std::unordered_map<UnitIndex, std::vector<Declared>> declared_;  // ascending in each unit
};

}  // namespace gprof::dwarf
