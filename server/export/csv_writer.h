// Tables of comma-separated values (RFC 4180): functions, arcs or lines, with a row of names first.
// docs/export.md describes the columns. Times are in the profile's unit, not rounded.
//
// Thread contract: as for the tables.
#pragma once

#include <string>
#include <string_view>

#include "server/export/export_output.h"
#include "server/export/export_request.h"
#include "server/export/export_tables.h"

namespace gprof::lsp {

// The names of the columns; the first line of the table.
[[nodiscard]] std::string_view csv_columns(ExportTable table);

// A name as a cell: on one line, in quotation marks where it needs them, and with an apostrophe
// before what a spreadsheet would take for a formula.
[[nodiscard]] std::string csv_cell(std::string_view text);

void write_csv(ExportTable table, const ExportTables& tables, FrameNames& names,
               ExportOutput& output);

}  // namespace gprof::lsp
