// gprof's suggested order of object files for the linker (-R).
//
// Thread contract: a pure function.
#pragma once

#include "engine/report/function_map.h"
#include "engine/report/report_data.h"
#include "engine/report/text_output.h"

namespace gprof {

// One file a line; a file stands there once for every symbol that is named after it, and those of
// the map that no symbol is named after come last.
void append_file_ordering(const ReportData& data, const MappedSymbols& mapped, TextOutput& text);

}  // namespace gprof
