// How reports write the names of symbols.
//
// Thread contract: one thread; names that were asked for are kept, since arcs name their functions
// again and again. Ownership: borrows what it is made from.
#pragma once

#include <string>
#include <vector>

#include "engine/report/graph_index.h"
#include "engine/report/report_data.h"
#include "engine/report/report_request.h"

namespace gprof {

class ReportNames {
 public:
  ReportNames(const ReportRequest& request, const ReportData& data, const GraphIndex& index)
      : request_(request), data_(data), index_(index), plain_names_(data.symbols.size()) {}

  // "f", and its place in the source under -l and --inline-file-names: "f (a.c:7 @ 11b9)".
  [[nodiscard]] const std::string& plain(SymbolIndex symbol) const;
  // With its cycle and its number: "f <cycle 1> [4]", "f (4)" where its entry is not printed.
  [[nodiscard]] std::string numbered(SymbolIndex symbol) const;
  // "<cycle 1 as a whole> [4]".
  [[nodiscard]] std::string whole_cycle(CycleNumber cycle) const;
  // "[4]" or "(4)".
  [[nodiscard]] static std::string bracketed(std::uint32_t number, bool printed);
  // As -L wants it: the path or its last part.
  [[nodiscard]] std::string_view shown_path(FileIndex file) const;

 private:
  [[nodiscard]] std::string make_plain(const SourceSymbol& symbol) const;
  [[nodiscard]] std::string function_name(const SourceSymbol& symbol) const;

  const ReportRequest& request_;
  const ReportData& data_;
  const GraphIndex& index_;
  mutable std::vector<std::string> plain_names_;  // empty where not asked for yet
};

}  // namespace gprof
