#include "server/export/export_request.h"

namespace gprof::lsp {

std::string_view export_format_name(ExportFormat format) { return name_of(format); }

std::string export_format_names() { return list_of_names<ExportFormat>(); }

bool is_binary(ExportFormat format) { return format == ExportFormat::pprof; }

}  // namespace gprof::lsp
