// The call graph (manual, section 5.2; -q) and the index of names at its end.
//
// Thread contract: pure functions. Formulas: engine/callgraph/call_graph.h.
#pragma once

#include "engine/report/graph_index.h"
#include "engine/report/names.h"
#include "engine/report/report_data.h"
#include "engine/report/report_request.h"
#include "engine/report/text_output.h"

namespace gprof {

// The input of the entries and the index of names.
struct GraphReport {
  const ReportRequest& request;
  const ReportData& data;
  const GraphIndex& index;
  const ReportNames& names;
};

void append_call_graph(TextOutput& text, const GraphReport& report);

// Functions by name in three columns, then the cycles.
void append_name_index(TextOutput& text, const GraphReport& report);

}  // namespace gprof
