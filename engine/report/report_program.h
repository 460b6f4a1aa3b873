// The program of a report: its image and the symbols selected by the command line.
//
// Ownership: keeps alive everything that its symbols view. Thread contract: open_report_program()
// is a pure function; the result is immutable.
#pragma once

#include <memory>

#include "engine/analysis/function_costs.h"
#include "engine/object/image.h"
#include "engine/report/function_map.h"
#include "engine/report/report_request.h"
#include "engine/support/expected.h"
#include "engine/symbols/function_symbols.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

struct ReportProgram {
  std::shared_ptr<const Image> image;
  std::shared_ptr<const Image> debug_image;  // null if the image has its own or none
  SourceSymbolTable symbols;
  // The row for samples in code of no function (--accurate); it has no addresses.
  SymbolIndex unknown_code = no_symbol;
  MappedSymbols mapped_symbols;  // by -R's map
  Warnings warnings;
};

// What the requested reports show or select by. Ignores the default reports.
[[nodiscard]] EntryLocations locations_needed(const ReportRequest& request);

// Errors: those of the symbol table, and of the files of -S and -R.
[[nodiscard]] Expected<ReportProgram> open_report_program(const ReportRequest& request,
                                                          std::shared_ptr<const Image> image,
                                                          EntryLocations locations);

}  // namespace gprof
