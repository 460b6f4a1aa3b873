// All tables of a profile as one JSON document; docs/export.md describes its members. Each row of a
// table is one line of text.
//
// Thread contract: as for the tables.
#pragma once

#include "server/export/export_output.h"
#include "server/export/export_tables.h"
#include "server/export/export_values.h"

namespace gprof::lsp {

// Raised by changes that break readers; additions do not change it.
inline constexpr int export_document_version = 1;

// `values`: of the tables.
void write_json_document(const ExportTables& tables, const ExportValues& values, FrameNames& names,
                         ExportOutput& output);

}  // namespace gprof::lsp
