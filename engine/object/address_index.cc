#include "engine/object/address_index.h"

#include <algorithm>

#include "engine/object/symbol_table.h"

namespace gprof {

AddressIndex::AddressIndex(std::span<const Symbol> symbols) {
  if (symbols.empty()) return;
  low_ = symbols.front().address;
  const std::uint64_t extent = symbols.back().address - low_;
  while (shift_ < 63 && (extent >> shift_) > 2 * symbols.size()) ++shift_;
  first_.resize((extent >> shift_) + 2);
  for (const Symbol& symbol : symbols) ++first_[((symbol.address - low_) >> shift_) + 1];
  for (std::size_t part = 1; part < first_.size(); ++part) first_[part] += first_[part - 1];
}

std::size_t AddressIndex::starting_by(Address address, std::span<const Symbol> symbols) const {
  if (first_.empty() || address < low_) return 0;
  const std::uint64_t part = (address - low_) >> shift_;
  if (part + 1 >= first_.size()) return symbols.size();
  const auto begin = symbols.begin() + first_[part];
  const auto end = symbols.begin() + first_[part + 1];
  const auto after = std::upper_bound(begin, end, address,
                                      [](Address a, const Symbol& s) { return a < s.address; });
  return static_cast<std::size_t>(after - symbols.begin());
}

}  // namespace gprof
