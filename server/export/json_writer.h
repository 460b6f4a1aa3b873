// All tables of a profile as one JSON document; docs/export.md describes its members. A row of a
// table is a line of the text.
//
// Thread contract: as for the tables.
#pragma once

#include "server/export/export_output.h"
#include "server/export/export_tables.h"

namespace gprof::lsp {

// Raised by changes that a reader must know of; additions leave it as it is.
inline constexpr int export_document_version = 1;

void write_json_document(const ExportTables& tables, FrameNames& names, ExportOutput& output);

}  // namespace gprof::lsp
