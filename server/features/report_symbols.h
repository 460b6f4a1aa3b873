// Resolves the names that reports print to functions.
//
// Several functions may have the same name: static ones, those of different libraries. A line's
// file, entry number, address or calls tell which one it means; if more than one remains, no answer
// is better than a wrong one.
// Ownership: borrows the symbols, whose program outlives it. Thread contract: immutable. Cost: the
// constructor demangles every symbol's name once.
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

  // All symbols that reports may print under this name, mangled or demangled; ascending.
  [[nodiscard]] std::vector<SymbolIndex> named(std::string_view name) const;

 private:
  using Entry = std::pair<std::size_t, SymbolIndex>;  // by the hash of the name

  const SymbolTable& symbols_;
  std::vector<Entry> entries_;
};

// A name in a report, the function that it means, and its range in the line.
struct ResolvedName {
  ReportSpan span;
  SymbolIndex symbol = no_symbol;
};

// For one report. Ownership: borrows all three, which belong to one program. Thread contract: one
// thread; results are cached.
class ReportResolver {
 public:
  ReportResolver(const Snapshot& snapshot, const ReportSymbols& symbols,
                 const ReportDocument& document);

  // Only functions whose definition is known.
  [[nodiscard]] std::optional<ResolvedName> resolve(const ReportName& name);

 private:
  // The functions with a name, and what its note turned out to be.
  struct Candidates {
    std::vector<SymbolIndex> symbols;
    bool note_is_file = false;
    std::size_t name_size = 0;
  };

  [[nodiscard]] std::optional<SymbolIndex> by_address(const ReportName& name) const;
  [[nodiscard]] Candidates candidates(const ReportName& name) const;
  // The one that the name's own line identifies.
  [[nodiscard]] std::optional<SymbolIndex> by_line(const ReportName& name, Candidates candidates);
  // The one that other lines with that entry number identify.
  [[nodiscard]] std::optional<SymbolIndex> by_entry(const ReportName& name);
  [[nodiscard]] bool is_one_place(const std::vector<SymbolIndex>& symbols);
  [[nodiscard]] const std::optional<Declaration>& declaration(SymbolIndex symbol);
  [[nodiscard]] bool is_in_file(SymbolIndex symbol, std::string_view file);

  const ReportSymbols& symbols_;
  const Snapshot& snapshot_;
  std::unordered_map<SymbolIndex, std::optional<Declaration>> declarations_;
  // By entry number: the lines that tell more than its name.
  std::unordered_multimap<std::uint32_t, const ReportName*> telling_;
  std::unordered_map<std::uint32_t, std::optional<SymbolIndex>> entries_;
};

}  // namespace gprof::lsp
