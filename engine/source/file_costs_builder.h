// Joins the code of one source file, wherever the compiler put it, with the profile.
//
// Thread contract: one thread; use once.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "engine/source/library_calls.h"
#include "engine/source/source_index.h"

namespace gprof {

class FileCostsBuilder {
 public:
  // `with_totals`: makes the graph unless it is made; otherwise nothing is taken of it.
  FileCostsBuilder(const SourceIndex& index, const SourceIndexParts& parts, FileId file,
                   bool with_totals);

  [[nodiscard]] FileCosts build();

 private:
  // Identifies the function that a piece of code belongs to: its symbol and inlined copy.
  struct Instance {
    UnitIndex unit;
    SymbolIndex symbol;
    std::uint32_t inlined_call;  // +1; 0 for none
    friend auto operator<=>(const Instance&, const Instance&) = default;
  };
  // Definitions at one place are distinguished by name only if there is no column.
  struct DefinitionKey {
    LineNumber line;
    std::uint32_t column;
    std::string name;
    friend auto operator<=>(const DefinitionKey&, const DefinitionKey&) = default;
  };
  struct Definition {
    FunctionCost cost;
    std::set<SymbolIndex> symbols;
    std::vector<AddressRange> inlined_code;  // if that is needed
  };

  void add_unit(UnitIndex unit_index, const UnitLines& unit);
  void add_extent(UnitIndex unit_index, const UnitLines& unit, const LineExtent& extent);
  void add_calls(const UnitLines& unit);
  void add_site(const UnitLines& unit, std::uint32_t site_index);
  void add_functions(const UnitLines& unit);
  void add_inlined_code(const InlinedCall& call);
  void add_inlined_calls(const UnitLines& unit, const std::vector<Definition*>& definition_of);
  void add_functions_without_description(const UnitLines& unit);
  void extend_bodies(const UnitLines& unit, const std::vector<Definition*>& definition_of);
  Definition& definition(const Declaration& declaration, const std::string& name);
  [[nodiscard]] Declaration declaration_of(const UnitLines& unit,
                                           const Subprogram& subprogram) const;

  void take_inlined_times();
  void measure_lines();
  void measure_line(LineNumber number, const std::vector<AddressRange>& own_code,
                    const std::vector<AddressRange>& code);
  void add_waits(LineNumber number, std::span<const AddressRange> code);
  void add_waits(Definition& definition) const;
  void add_uncounted_calls(const std::vector<AddressRange>& code, LineCost& cost);
  [[nodiscard]] bool is_counted(SymbolIndex callee);
  void finish_lines(FileCosts& costs);
  void merge_copies(std::vector<LineCall>& calls) const;
  [[nodiscard]] bool same_definition(SymbolIndex a, SymbolIndex b) const;
  void finish_functions(FileCosts& costs);
  void finish_function(Definition& definition);
  void take_totals(FunctionCost& function);
  void take_self_time(FunctionCost& function) const;
  void take_kernel_time(FunctionCost& function) const;
  void count_calls(FunctionCost& function) const;
  void find_arcs_of_functions();
  [[nodiscard]] CallCounting call_counting(const FunctionCost& function) const;

  const SourceIndex& index_;
  const SourceIndexParts& parts_;
  const FileId file_;
  const CallGraph* const graph_;         // null: without totals
  const MeasuredTimes* const measured_;  // null: no times were measured, or without totals
  // None where totals have what libraries took, or libraries took too little to say so.
  std::optional<LibraryCalls> library_calls_;

  std::map<LineNumber, LineCost> lines_;
  std::set<LineNumber> lines_with_code_;
  // What code is where is needed if times were measured, or there are waits.
  [[nodiscard]] bool needs_code() const { return measured_ != nullptr || parts_.waits != nullptr; }
  // The lines' own code, and what calls on them brought in.
  std::map<LineNumber, std::vector<AddressRange>> code_of_line_;
  std::map<LineNumber, std::vector<AddressRange>> inlined_into_line_;
  InlinedTimes inlined_times_;
  std::map<std::pair<LineNumber, Instance>, std::uint64_t> largest_block_;
  std::set<std::uint32_t> sites_done_;
  std::map<SymbolIndex, bool> counted_;  // whether calls of it are, as far as it was asked
  std::map<DefinitionKey, Definition> definitions_;
  std::set<SymbolIndex> described_symbols_;

  // Without a graph: the calls to and from the file's symbols.
  std::multimap<SymbolIndex, const SiteArc*> sites_to_;
  std::set<SymbolIndex> calling_;  // those that call something
};

}  // namespace gprof
