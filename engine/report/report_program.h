// The program of a report: its image and the symbols that the command line asks for.
//
// Ownership: holds everything alive that its symbols view. Thread contract: open_report_program()
// is a pure function; the result is immutable.
#pragma once

#include <memory>

#include "engine/dwarf/debug_information.h"
#include "engine/object/image.h"
#include "engine/profile/profile.h"
#include "engine/report/function_map.h"
#include "engine/report/report_request.h"
#include "engine/support/expected.h"
#include "engine/symbols/source_symbols.h"

namespace gprof {

struct ReportProgram {
  std::shared_ptr<const Image> image;
  std::shared_ptr<const Image> debug_image;             // null where the image has its own or none
  std::unique_ptr<DebugInformation> debug_information;  // null where there is none
  SourceSymbolTable symbols;
  // The row for samples in code of no function (--accurate); no address belongs to it.
  SymbolIndex unknown_code = no_symbol;
  MappedSymbols mapped_symbols;  // by the map of -R
  Warnings warnings;
};

// Errors: those of Image::open(), of the symbol table, and of the files of -S and -R.
[[nodiscard]] Expected<ReportProgram> open_report_program(const ReportRequest& request);

}  // namespace gprof
