// From source files to their costs, and from arcs to the source locations of their calls. The index
// that editor features read. No I/O of its own.
//
// Cost: proportional to the units of the file asked for; results are cached.
// Ownership: borrows the parts of its snapshot, which owns both. Thread contract: any thread.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/analysis/wait_index.h"
#include "engine/callgraph/timed_graph.h"
#include "engine/source/file_costs.h"
#include "engine/source/program_sources.h"

namespace gprof {

// The parts of a snapshot that the index joins.
struct SourceIndexParts {
  const SymbolTable& symbols;
  const MachineCode& code;
  const ProgramSources& sources;
  const CallSites& call_sites;
  const FunctionCosts& profile;
  const TimedGraph& graph;  // not made unless something needs it
  const WaitIndex* waits;   // null if there are none
};

// Where calls from one function to another are in the source.
struct CallLocation {
  SourceLocation location;
  std::uint64_t count = 0;   // 0: not counted, but seen on stacks
  bool approximate = false;  // one of several lines; the count is their total
  Ticks measured = 0;        // what ran under these calls, as far as it was measured by call
};

// Calls from one function to another that the profile can tell from its other calls.
struct LocatedCalls {
  // Ascending; several: any may have made them; empty: unknown.
  std::vector<SourceLocation> locations;
  std::vector<Address> from_pcs;  // as counted; empty if the calls were not
  std::uint64_t count = 0;        // 0: not counted, but seen on stacks
  // What ran under these calls; none if not measured by call.
  std::optional<Ticks> measured;
};

// A function at the other end of an arc.
struct RelatedFunction {
  SymbolIndex symbol = no_symbol;  // no_symbol: spontaneous
  std::uint64_t count = 0;
  Ticks self_share = 0;
  Ticks children_share = 0;
  Ticks error = 0;          // one standard deviation of share()
  bool same_cycle = false;  // the arc propagates no time

  [[nodiscard]] Ticks share() const { return self_share + children_share; }
};

class SourceIndex {
 public:
  explicit SourceIndex(const SourceIndexParts& parts);
  // What store() wrote for the same parts.
  template <typename Reader>
  SourceIndex(const SourceIndexParts& parts, Reader& stored) : parts_(parts) {
    std::call_once(sites_by_arc_built_, [&] { exchange(*this, stored); });
    std::call_once(ranks_made_, [this] { ranked_ = true; });
  }

  // Never null. With totals: makes the graph unless it is made.
  [[nodiscard]] std::shared_ptr<const FileCosts> costs(FileId file) const;
  // The same without waiting for the graph: FileCosts::without_totals unless it is made.
  [[nodiscard]] std::shared_ptr<const FileCosts> costs_at_hand(FileId file) const;

  [[nodiscard]] std::vector<CallLocation> call_locations(SymbolIndex caller,
                                                         SymbolIndex callee) const;
  // The same, with every call once, by location: the counts add up to the arc's, except for calls
  // from code that only the arc shows.
  [[nodiscard]] std::vector<LocatedCalls> located_calls(SymbolIndex caller,
                                                        SymbolIndex callee) const;

  // Callers and callees of all symbols of a function, except itself; by descending time, then
  // calls.
  [[nodiscard]] std::vector<RelatedFunction> callers(const FunctionCost& function) const;
  [[nodiscard]] std::vector<RelatedFunction> callees(const FunctionCost& function) const;
  // Functions (never their clones) by descending self time, including their clones', then calls.
  [[nodiscard]] const std::vector<SymbolIndex>& by_heat() const {
    make_ranks();
    return by_heat_;
  }
  // The function's place in that order with functions of libraries and other code of theirs among
  // them, from 1; 0: no self time.
  [[nodiscard]] std::uint32_t rank(SymbolIndex symbol) const;
  // That order is made when it is first asked for, or here.
  void make_ranks() const;
  [[nodiscard]] bool is_ranked() const { return ranked_.load(std::memory_order_acquire); }

  // Whether what exchange() read is valid for the parts.
  [[nodiscard]] bool is_sound() const {
    const std::size_t symbols = parts_.symbols.size();
    const std::size_t sites = parts_.profile.site_arcs().size();
    return by_heat_.size() <= symbols && all_below(by_heat_, symbols) && rank_.size() == symbols &&
           sites_by_address_.size() == sites && all_below(sites_by_address_, sites) &&
           sites_by_arc_.size() == sites && all_below(sites_by_arc_, sites);
  }

  // What was computed from the parts, to a stored index.
  template <typename Writer>
  void store(Writer& index) const {
    make_ranks();
    sort_sites_by_arc();
    exchange(*this, index);
  }

 private:
  friend class FileCostsBuilder;

  void rank_functions() const;
  void index_sites();
  void sort_sites_by_arc() const;
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.array(self.by_heat_);
    stream.array(self.rank_);
    stream.array(self.sites_by_address_);
    stream.array(self.sites_by_arc_);
  }
  [[nodiscard]] std::span<const std::uint32_t> sites_of_arc(SymbolIndex caller,
                                                            SymbolIndex callee) const;
  [[nodiscard]] std::vector<RelatedFunction> related(const FunctionCost& function,
                                                     bool want_callers) const;
  [[nodiscard]] std::vector<LocatedCalls> calls_on_stacks(SymbolIndex caller,
                                                          SymbolIndex callee) const;
  void take_measured_times(const FunctionCost& function, bool want_callers,
                           std::map<SymbolIndex, RelatedFunction>& related) const;

  struct CachedCosts;
  using CostsByFile = std::map<FileId, std::shared_ptr<CachedCosts>>;
  [[nodiscard]] std::shared_ptr<const FileCosts> cached_costs(CostsByFile& cache, FileId file,
                                                              bool with_totals) const;

  SourceIndexParts parts_;
  mutable std::once_flag ranks_made_;
  mutable std::atomic<bool> ranked_ = false;
  mutable std::vector<SymbolIndex> by_heat_;
  mutable FlatArray<std::uint32_t> rank_;      // by symbol
  FlatArray<std::uint32_t> sites_by_address_;  // indices of site arcs by from_pc
  mutable std::once_flag sites_by_arc_built_;
  mutable FlatArray<std::uint32_t> sites_by_arc_;  // indices of site arcs by caller and callee

  mutable std::mutex mutex_;  // guards the members below
  mutable CostsByFile costs_;
  mutable CostsByFile costs_without_totals_;  // empty once the graph is made
};

}  // namespace gprof
