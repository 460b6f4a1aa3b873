// The symbols and arcs that the specifications of the command line choose, list by list.
//
// A list is asked by address: a function that is on it answers for every address inside it, also
// for the lines of a function under -l.
//
// Ownership: owns its copies of addresses; holds no reference to the symbols. Thread contract:
// immutable. Cost of a question: a binary search.
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
  // Of any order, with repetitions and empty ones. `everything` may hold the other ranges.
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

// The union of FROM/TO pairs. As in gprof, a pair whose FROM is nothing says nothing; one whose TO
// is nothing is a pair that no arc matches. FROM is asked by address; TO has to hold the whole
// callee: the last function of .text, whose end is that of the next symbol, is not part of
// "anything".
class ArcSet {
 public:
  void add(SymbolSet from, SymbolSet to);
  [[nodiscard]] bool empty() const { return pairs_.empty(); }
  // The lowest addresses of each pair that has both ends, in the order of the command line.
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
  // `choices` and, for the collectors' own functions, the exclusions that always hold.
  static SymspecTables build(std::span<const SymspecChoice> choices,
                             const SourceSymbolTable& symbols);

  // Precondition: not one of the two lists of arcs.
  [[nodiscard]] const SymbolSet& symbols(SymspecList list) const {
    return sets_[static_cast<std::size_t>(list)];
  }
  [[nodiscard]] const ArcSet& included_arcs() const { return included_arcs_; }
  [[nodiscard]] const ArcSet& excluded_arcs() const { return excluded_arcs_; }

  // gprof's usual question: on the first list or, where that is empty, not on the second.
  [[nodiscard]] bool chosen(SymspecList include, SymspecList exclude, Address address) const;
  [[nodiscard]] bool arc_chosen(Address from, AddressRange to) const;

 private:
  std::array<SymbolSet, symspec_list_count> sets_;
  ArcSet included_arcs_;
  ArcSet excluded_arcs_;
};

}  // namespace gprof
