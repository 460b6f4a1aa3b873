#include "engine/dwarf/function_declarations.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gprof::dwarf {

void FunctionDeclarations::add(UnitIndex unit, const UnitFunctions& functions) {
  if (has(unit)) return;
  std::vector<Declared> declared;
  for (const Subprogram& function : functions.subprograms) {
    for (const AddressRange& range : function.ranges) {
      declared.push_back({range, function.declaration});
    }
  }
  std::sort(declared.begin(), declared.end(),
            [](const Declared& a, const Declared& b) { return a.range < b.range; });
  declared.shrink_to_fit();
  const std::lock_guard lock(mutex_);
  declared_.emplace(unit, std::move(declared));
}

bool FunctionDeclarations::has(UnitIndex unit) const {
  const std::lock_guard lock(mutex_);
  return declared_.contains(unit);
}

std::optional<Declaration> FunctionDeclarations::find(UnitIndex unit, Address address) const {
  const std::lock_guard lock(mutex_);
  const auto found = declared_.find(unit);
  if (found == declared_.end()) return std::nullopt;
  const std::vector<Declared>& declared = found->second;
  const auto after =
      std::partition_point(declared.begin(), declared.end(),
                           [&](const Declared& function) { return function.range.low <= address; });
  if (after == declared.begin() || !std::prev(after)->range.contains(address)) return std::nullopt;
  return std::prev(after)->declaration;
}

}  // namespace gprof::dwarf
