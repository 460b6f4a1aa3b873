// gprof's suggested order of object files for the linker (-R).
//
// Thread contract: a pure function.
#pragma once

#include "engine/report/function_map.h"
#include "engine/report/report_data.h"
#include "engine/report/text_output.h"

namespace gprof {

// One file per line; a file appears once for every symbol named after it, and files of the map
// without such a symbol come last.
void append_file_ordering(const ReportData& data, const MappedSymbols& mapped, TextOutput& text);

}  // namespace gprof
