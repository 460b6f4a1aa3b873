// From the names that reports print to the functions that they mean.
//
// A name may be that of several functions: static ones, those of several libraries. Which of them a
// line means is told by its file, its entry's number, its address or its calls; where that leaves
// more than one, nothing is better than a wrong one.
// Ownership: borrows the symbols, whose program outlives it. Thread contract: immutable. Cost:
// every symbol's name is demangled once, by the constructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/analysis.h"
#include "server/features/report_document.h"

namespace gprof::lsp {

class ReportSymbols {
 public:
  explicit ReportSymbols(const SymbolTable& symbols);

  // All that reports may print this name for: linkage names, and names as their authors wrote them;
  // ascending.
  [[nodiscard]] std::vector<SymbolIndex> named(std::string_view name) const;

 private:
  using Entry = std::pair<std::size_t, SymbolIndex>;  // by the hash of the name

  const SymbolTable& symbols_;
  std::vector<Entry> entries_;
};

// A name of a report with the function that it means, and how much of the line that is.
struct ResolvedName {
  ReportSpan span;
  SymbolIndex symbol = no_symbol;
};

// Of one report. Ownership: borrows all three, which are of one program. Thread contract: one
// thread; what was found is kept.
class ReportResolver {
 public:
  ReportResolver(const Snapshot& snapshot, const ReportSymbols& symbols,
                 const ReportDocument& document);

  // Only functions whose definition is known.
  [[nodiscard]] std::optional<ResolvedName> resolve(const ReportName& name);

 private:
  // The functions of a name, and what its note turned out to be.
  struct Candidates {
    std::vector<SymbolIndex> symbols;
    bool note_is_file = false;
    std::size_t name_size = 0;
  };

  [[nodiscard]] std::optional<SymbolIndex> by_address(const ReportName& name) const;
  [[nodiscard]] Candidates candidates(const ReportName& name) const;
  // The one that the line of the name tells.
  [[nodiscard]] std::optional<SymbolIndex> by_line(const ReportName& name, Candidates candidates);
  // The one that other lines tell of the entry of that number.
  [[nodiscard]] std::optional<SymbolIndex> by_entry(const ReportName& name);
  [[nodiscard]] bool is_one_place(const std::vector<SymbolIndex>& symbols);
  [[nodiscard]] const std::optional<Declaration>& declaration(SymbolIndex symbol);
  [[nodiscard]] bool is_in_file(SymbolIndex symbol, std::string_view file);

  const ReportSymbols& symbols_;
  const Snapshot& snapshot_;
  std::unordered_map<SymbolIndex, std::optional<Declaration>> declarations_;
  // By the number of the entry: the lines that tell more of it than its name.
  std::unordered_multimap<std::uint32_t, const ReportName*> telling_;
  std::unordered_map<std::uint32_t, std::optional<SymbolIndex>> entries_;
};

}  // namespace gprof::lsp
