#include "server/export/export_request.h"

namespace gprof::lsp {

std::optional<ExportFormat> parse_export_format(std::string_view name) {
  return value_named<ExportFormat>(name);
}

std::string_view export_format_name(ExportFormat format) { return name_of(format); }

std::string export_format_names() { return list_of_names<ExportFormat>(); }

std::optional<ExportTable> parse_export_table(std::string_view name) {
  return value_named<ExportTable>(name);
}

bool is_binary(ExportFormat format) { return format == ExportFormat::pprof; }

}  // namespace gprof::lsp
