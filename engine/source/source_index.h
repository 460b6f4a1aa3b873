// From source files to what they cost, and from functions to where they are written.
// The index that the editor features read. No I/O of its own.
//
// Cost: proportional to the units of the file that is asked for; the answer is kept.
// Ownership: borrows the parts of its snapshot, which holds both. Thread contract: any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  const ProgramSources& sources;
  const CallSites& call_sites;
  const Profile& profile;
  const CallGraph& graph;
  const MeasuredTimes& measured;
  const FunctionTimes& times;
};

// Where calls from one function to another are written.
struct CallPlace {
  SourcePlace place;
  std::uint64_t count = 0;
  bool approximate = false;  // one of several lines; the count is of all of them together
};

// Calls from one function to another that the profile tells from its other calls.
struct PlacedCalls {
  std::vector<SourcePlace> places;  // ascending; of several, any may have made them; or not known
  std::uint64_t count = 0;
  // What ran under these very calls; none where it was not measured by call.
  std::optional<Ticks> measured;
};

// A function at the other end of an arc.
struct RelatedFunction {
  SymbolIndex symbol = no_symbol;  // no_symbol: spontaneous
  std::uint64_t count = 0;
  Ticks self_share = 0;
  Ticks children_share = 0;
  Ticks error = 0;          // one standard deviation of share()
  bool same_cycle = false;  // the arc hands on no time

  [[nodiscard]] Ticks share() const { return self_share + children_share; }
};

class SourceIndex {
 public:
  explicit SourceIndex(const SourceIndexParts& parts);
  // As store() wrote it, of the same parts.
  template <typename Reader>
  SourceIndex(const SourceIndexParts& parts, Reader& stored) : parts_(parts) {
    std::call_once(sites_by_arc_built_, [&] { exchange(*this, stored); });
  }

  [[nodiscard]] std::optional<FileId> find_file(std::string_view canonical_path) const {
    return parts_.sources.find_file(canonical_path);
  }
  // Files of that base name, whatever their directory: for mapping build paths to a workspace.
  [[nodiscard]] std::vector<FileId> files_named(std::string_view base_name) const {
    return parts_.sources.files_named(base_name);
  }
  // Every file that the program was compiled from, headers included; reads the headers of all line
  // tables, once a program.
  [[nodiscard]] std::vector<FileId> all_files() const { return parts_.sources.all_files(); }
  [[nodiscard]] std::string path(FileId file) const { return parts_.sources.path(file); }
  // The MD5 of the text that was compiled. None where the compiler wrote none, and where units were
  // compiled from different texts of the file.
  [[nodiscard]] std::optional<SourceDigest> digest(FileId file) const {
    return parts_.sources.digest(file);
  }
  [[nodiscard]] bool has_conflicting_digests(FileId file) const {
    return parts_.sources.has_conflicting_digests(file);
  }

  // Never null.
  [[nodiscard]] std::shared_ptr<const FileCosts> costs(FileId file) const;

  // Where the function of a symbol is defined; a clone's is its function's.
  [[nodiscard]] std::optional<Declaration> declaration(SymbolIndex symbol) const {
    return parts_.sources.declaration(symbol);
  }
  [[nodiscard]] DemangledName name(SymbolIndex symbol) const { return parts_.sources.name(symbol); }
  [[nodiscard]] std::vector<CallPlace> call_places(SymbolIndex caller, SymbolIndex callee) const;
  // The same with every call once: the counts add up to that of the arc, but for calls from code
  // that the arc alone knows of. By their places.
  [[nodiscard]] std::vector<PlacedCalls> placed_calls(SymbolIndex caller, SymbolIndex callee) const;

  // Callers and callees of all symbols of a function, without itself; most time first, then most
  // calls.
  [[nodiscard]] std::vector<RelatedFunction> callers(const FunctionCost& function) const;
  [[nodiscard]] std::vector<RelatedFunction> callees(const FunctionCost& function) const;
  // Functions (never their clones) by descending self time of them and their clones, then calls.
  [[nodiscard]] const std::vector<SymbolIndex>& by_heat() const { return by_heat_; }
  [[nodiscard]] std::uint32_t rank(SymbolIndex symbol) const;

  // What exchange() read can be of the parts.
  [[nodiscard]] bool is_sound() const {
    const std::size_t symbols = parts_.symbols.size();
    const std::size_t sites = parts_.profile.site_arcs().size();
    return by_heat_.size() <= symbols && all_below(by_heat_, symbols) && rank_.size() == symbols &&
           sites_by_address_.size() == sites && all_below(sites_by_address_, sites) &&
           sites_by_arc_.size() == sites && all_below(sites_by_arc_, sites);
  }

  // What was made of the parts, to a stored index.
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
