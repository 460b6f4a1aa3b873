// From source files to their costs, and from arcs to the source locations of their calls. The index
// that editor features read. No I/O of its own.
//
// Cost: proportional to the units of the file asked for; results are cached.
// Ownership: borrows the parts of its snapshot, which owns both. Thread contract: any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/function_times.h"
#include "engine/callgraph/measured_times.h"
#include "engine/source/file_costs.h"
#include "engine/source/program_sources.h"

namespace gprof {

// The parts of a snapshot that the index joins.
struct SourceIndexParts {
  const SymbolTable& symbols;
  const MachineCode& code;
  const ProgramSources& sources;
  const CallSites& call_sites;
  const Profile& profile;
  const CallGraph& graph;
  const MeasuredTimes& measured;
  const FunctionTimes& times;
};

// Where calls from one function to another are in the source.
struct CallLocation {
  SourceLocation location;
  std::uint64_t count = 0;
  bool approximate = false;  // one of several lines; the count is their total
};

// Calls from one function to another that the profile can tell from its other calls.
struct LocatedCalls {
  // Ascending; several: any may have made them; empty: unknown.
  std::vector<SourceLocation> locations;
  std::uint64_t count = 0;
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
  }

  // Never null.
  [[nodiscard]] std::shared_ptr<const FileCosts> costs(FileId file) const;

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
  [[nodiscard]] const std::vector<SymbolIndex>& by_heat() const { return by_heat_; }
  [[nodiscard]] std::uint32_t rank(SymbolIndex symbol) const;

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
    sort_sites_by_arc();
    exchange(*this, index);
  }

 private:
  friend class FileCostsBuilder;

  void rank_functions();
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
  void take_measured_times(const FunctionCost& function, bool want_callers,
                           std::map<SymbolIndex, RelatedFunction>& related) const;

  SourceIndexParts parts_;
  std::vector<SymbolIndex> by_heat_;
  FlatArray<std::uint32_t> rank_;              // by symbol
  FlatArray<std::uint32_t> sites_by_address_;  // indices of site arcs by from_pc
  mutable std::once_flag sites_by_arc_built_;
  mutable FlatArray<std::uint32_t> sites_by_arc_;  // indices of site arcs by caller and callee

  struct CachedCosts;
  mutable std::mutex mutex_;
  mutable std::map<FileId, std::shared_ptr<CachedCosts>> costs_;
};

}  // namespace gprof
