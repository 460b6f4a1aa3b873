// The per-line data of an export, one function at a time to bound memory.
//
// Units: ticks; lines from 1. Thread contract: pure, except for decoding debug information.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/export/export_tables.h"

namespace gprof::lsp {

// A line of the code of one function; for inlined code, its own line.
struct ExportLine {
  FileId file = no_file;  // no_file and line 0: code of no known line
  LineNumber line = 0;
  Ticks self = 0;
  Ticks kernel = 0;  // the part of self spent in the kernel; 0 if unknown
  // Of the largest basic block, if the program was built to count them.
  std::optional<std::uint64_t> executions;
};

// By file, then line. Their self times add up to those of the symbols.
[[nodiscard]] std::vector<ExportLine> function_lines(const Snapshot& snapshot,
                                                     std::span<const SymbolIndex> symbols);

// Calls of an arc from one line; for inlined code, the line of the inlined call.
struct ExportCallSite {
  FileId file = no_file;
  LineNumber line = 0;
  std::uint64_t calls = 0;
  Ticks ticks = 0;           // measured, or in proportion to the calls
  Ticks error = 0;           // one standard deviation
  bool approximate = false;  // one of several lines; this one has all of their calls
};

// By file, then line. Their calls and ticks add up to those of the arc; calls without a known place
// are put where the caller is declared.
[[nodiscard]] std::vector<ExportCallSite> call_sites(const ExportTables& tables,
                                                     const ExportArc& arc);

}  // namespace gprof::lsp
