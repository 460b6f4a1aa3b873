#include "server/export/export_request.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gprof::lsp {
namespace {

constexpr std::array<std::pair<std::string_view, ExportFormat>, 7> formats = {{
    {"callgrind", ExportFormat::callgrind},
    {"csv", ExportFormat::csv},
    {"dot", ExportFormat::dot},
    {"folded", ExportFormat::folded},
    {"json", ExportFormat::json},
    {"pprof", ExportFormat::pprof},
    {"speedscope", ExportFormat::speedscope},
}};

}  // namespace

std::optional<ExportFormat> parse_export_format(std::string_view name) {
  for (const auto& [known, format] : formats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string_view export_format_name(ExportFormat format) {
  for (const auto& [name, known] : formats) {
    if (known == format) return name;
  }
  return "";
}

std::string export_format_names() {
  std::string names;
  for (const auto& [name, format] : formats) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

std::optional<ExportTable> parse_export_table(std::string_view name) {
  if (name == "functions") return ExportTable::functions;
  if (name == "arcs") return ExportTable::arcs;
  if (name == "lines") return ExportTable::lines;
  return std::nullopt;
}

bool is_binary(ExportFormat format) { return format == ExportFormat::pprof; }

}  // namespace gprof::lsp
