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
#include <unordered_map>
#include <vector>

#include "engine/object/demangle.h"
#include "engine/source/file_costs.h"
#include "engine/source/unit_cache.h"

namespace gprof {

// The parts of a snapshot that the index joins. debug_information may be null.
struct SourceIndexParts {
  const SymbolTable& symbols;
  const MachineCode& code;
  const CallSites& call_sites;
  const Profile& profile;
  const CallGraph& graph;
  const DebugInformation* debug_information;
};

struct SourcePlace {
  FileId file = no_file;
  LineNumber line = 0;
  friend auto operator<=>(const SourcePlace&, const SourcePlace&) = default;
};

// Where calls from one function to another are written.
struct CallPlace {
  SourcePlace place;
  std::uint64_t count = 0;
  bool approximate = false;  // one of several lines; the count is of all of them together
};

// A function at the other end of an arc.
struct RelatedFunction {
  SymbolIndex symbol = no_symbol;  // no_symbol: spontaneous
  std::uint64_t count = 0;
  Ticks self_share = 0;
  Ticks children_share = 0;
  bool same_cycle = false;  // the arc hands on no time
};

class SourceIndex {
 public:
  explicit SourceIndex(const SourceIndexParts& parts);

  [[nodiscard]] std::optional<FileId> find_file(std::string_view canonical_path) const;
  // Files of that base name, whatever their directory: for mapping build paths to a workspace.
  [[nodiscard]] std::vector<FileId> files_named(std::string_view base_name) const;
  [[nodiscard]] std::string path(FileId file) const;

  // Never null.
  [[nodiscard]] std::shared_ptr<const FileCosts> costs(FileId file) const;

  // Where the function of a symbol is defined; a clone's is its function's.
  [[nodiscard]] std::optional<Declaration> declaration(SymbolIndex symbol) const;
  [[nodiscard]] DemangledName name(SymbolIndex symbol) const;
  [[nodiscard]] std::vector<CallPlace> call_places(SymbolIndex caller, SymbolIndex callee) const;

  // Callers and callees of all symbols of a function, without itself; most time first, then most
  // calls.
  [[nodiscard]] std::vector<RelatedFunction> callers(const FunctionCost& function) const;
  [[nodiscard]] std::vector<RelatedFunction> callees(const FunctionCost& function) const;
  // Functions (never their clones) by descending self time of them and their clones, then calls.
  [[nodiscard]] const std::vector<SymbolIndex>& by_heat() const { return by_heat_; }
  [[nodiscard]] std::uint32_t rank(SymbolIndex symbol) const;

 private:
  friend class FileCostsBuilder;

  void rank_functions();
  void index_sites();
  [[nodiscard]] std::span<const std::uint32_t> sites_of_arc(SymbolIndex caller,
                                                            SymbolIndex callee) const;
  [[nodiscard]] std::vector<RelatedFunction> related(const FunctionCost& function,
                                                     bool want_callers) const;
  // The place of a call instruction in terms of the file in which its function is written: where
  // the call lies in inlined code, the line of the inlined call.
  [[nodiscard]] std::optional<SourcePlace> place_in_function(Address call) const;

  SourceIndexParts parts_;
  mutable std::optional<UnitCache> units_;
  std::vector<SymbolIndex> by_heat_;
  std::vector<std::uint32_t> rank_;              // by symbol
  std::vector<std::uint32_t> sites_by_address_;  // indices of site arcs by from_pc
  mutable std::once_flag sites_by_arc_built_;
  mutable std::vector<std::uint32_t> sites_by_arc_;  // indices of site arcs by caller and callee

  struct CachedCosts;
  mutable std::mutex mutex_;
  mutable std::map<FileId, std::shared_ptr<CachedCosts>> costs_;
  mutable std::unordered_map<std::string, std::vector<FileId>> files_by_name_;
};

}  // namespace gprof
