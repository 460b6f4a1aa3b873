// The symbols and arcs selected by the command line's specifications, list by list.
//
// Lists are queried by address: a function on a list matches every address inside it, including its
// lines under -l.
//
// Ownership: owns copies of addresses; keeps no reference to the symbols. Thread contract:
// immutable. Cost of a query: a binary search.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/symbols/source_symbols.h"
#include "engine/symspec/symspec.h"

namespace gprof {

class SymbolSet {
 public:
  SymbolSet() = default;
  // In any order, may repeat or be empty. `everything` may contain the other ranges.
  explicit SymbolSet(std::vector<AddressRange> ranges, AddressRange everything = {});

  [[nodiscard]] bool empty() const { return ranges_.empty() && everything_.empty(); }
  // Precondition: not empty().
  [[nodiscard]] Address lowest() const;
  [[nodiscard]] bool contains(Address address) const;
  [[nodiscard]] bool contains_all_of(AddressRange range) const;

 private:
  std::vector<AddressRange> ranges_;
  AddressRange everything_;
};

// The union of FROM/TO pairs. As in gprof, a pair whose FROM matches nothing is ignored, and one
// whose TO matches nothing is a pair that no arc matches. FROM is queried by address; TO must
// contain the whole callee: the last function of .text, which ends where the next symbol does, is
// not part of "anything".
class ArcSet {
 public:
  void add(SymbolSet from, SymbolSet to);
  [[nodiscard]] bool empty() const { return pairs_.empty(); }
  // The lowest addresses of each pair with both ends, in command line order.
  struct Ends {
    Address from;
    Address to;
  };
  [[nodiscard]] std::vector<Ends> lowest_ends() const;
  [[nodiscard]] bool contains(Address from, AddressRange to) const;

 private:
  struct Pair {
    SymbolSet from;
    SymbolSet to;
  };
  std::vector<Pair> pairs_;
};

class SymspecTables {
 public:
  SymspecTables() = default;
  // `choices`, plus the exclusions that always apply, for the collectors' own functions.
  static SymspecTables build(std::span<const SymspecChoice> choices,
                             const SourceSymbolTable& symbols);

  // Precondition: not one of the two arc lists.
  [[nodiscard]] const SymbolSet& symbols(SymspecList list) const {
    return sets_[static_cast<std::size_t>(list)];
  }
  [[nodiscard]] const ArcSet& included_arcs() const { return included_arcs_; }
  [[nodiscard]] const ArcSet& excluded_arcs() const { return excluded_arcs_; }

  // gprof's usual test: on the first list or, if that is empty, not on the second.
  [[nodiscard]] bool chosen(SymspecList include, SymspecList exclude, Address address) const;
  [[nodiscard]] bool arc_chosen(Address from, AddressRange to) const;

 private:
  std::array<SymbolSet, symspec_list_count> sets_;
  ArcSet included_arcs_;
  ArcSet excluded_arcs_;
};

}  // namespace gprof
