#include "server/export/export_request.h"

#include <algorithm>
#include <iterator>

namespace gprof::lsp {
namespace {

constexpr NamedValue<ExportFormat> named_formats[] = {
    {"callgrind", ExportFormat::callgrind,
     "for callgrind_annotate and KCachegrind: time of lines, in microseconds, and calls"},
    {"csv", ExportFormat::csv, "a table of comma-separated values: see --table"},
    {"dot", ExportFormat::dot, "the hot part of the call graph, for Graphviz (dot -Tsvg)"},
    {"folded", ExportFormat::folded, "folded stacks in microseconds, for flame graph scripts"},
    {"json", ExportFormat::json, "all tables as one document, for programs of your own"},
    {"pprof", ExportFormat::pprof, "the compressed protocol buffer that pprof reads"},
    {"speedscope", ExportFormat::speedscope, "for https://www.speedscope.app"},
};
constexpr NamedValue<ExportTable> named_tables[] = {
    {"functions", ExportTable::functions},
    {"arcs", ExportTable::arcs},
    {"lines", ExportTable::lines},
};

template <typename Value>
std::optional<Value> value_named(std::span<const NamedValue<Value>> values, std::string_view name) {
  const auto found = std::ranges::find(values, name, &NamedValue<Value>::name);
  return found == values.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace

std::span<const NamedValue<ExportFormat>> export_formats() { return named_formats; }
std::span<const NamedValue<ExportTable>> export_tables() { return named_tables; }

std::optional<ExportFormat> parse_export_format(std::string_view name) {
  return value_named(export_formats(), name);
}

std::string_view export_format_name(ExportFormat format) {
  const auto* found = std::ranges::find(named_formats, format, &NamedValue<ExportFormat>::value);
  return found == std::end(named_formats) ? "" : found->name;
}

std::string export_format_names() {
  std::string names;
  for (const auto& format : named_formats) {
    if (!names.empty()) names += ", ";
    names += format.name;
  }
  return names;
}

std::optional<ExportTable> parse_export_table(std::string_view name) {
  return value_named(export_tables(), name);
}

bool is_binary(ExportFormat format) { return format == ExportFormat::pprof; }

}  // namespace gprof::lsp
