// The hot part of the call graph for Graphviz: functions by heat, arcs with calls and time, cycles
// as clusters.
//
// Thread contract: as for the tables.
#pragma once

#include "server/export/export_output.h"
#include "server/export/export_tables.h"

namespace gprof::lsp {

// Functions and arcs whose total time is at least `threshold` of the whole; if nothing was sampled,
// those with at least that share of all calls.
void write_dot(double threshold, const ExportTables& tables, FrameNames& names,
               ExportOutput& output);

}  // namespace gprof::lsp
