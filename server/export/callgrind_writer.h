// The format of callgrind's profiles, as callgrind_annotate and KCachegrind read it: costs by
// function and line, inlined code under its own files, and calls with their inclusive cost.
//
// Events: the sampled time (in microseconds, or as samples), and executions of basic blocks where
// the profile has them. The header says whether inclusive costs are measured or estimated.
// Thread contract: as for the tables.
#pragma once

#include "server/export/export_output.h"
#include "server/export/export_tables.h"

namespace gprof::lsp {

void write_callgrind(const ExportTables& tables, FrameNames& names, ExportOutput& output);

}  // namespace gprof::lsp
