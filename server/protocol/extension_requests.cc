#include "server/protocol/extension_requests.h"

#include "server/protocol/conversions.h"

namespace gprof::lsp {
namespace {

void read_metric(const Json& json, std::optional<Metric>& out, ReadContext& context) {
  std::optional<std::string> name;
  ObjectReader(json, context).optional("metric", name);
  if (!name) return;
  out = parse_metric(*name);
  if (!out) context.fail("a member metric of calls, executions, self, total");
}

void read_direction(const Json& json, GraphDirection& out, ReadContext& context) {
  std::optional<std::string> name;
  ObjectReader(json, context).optional("direction", name);
  if (!name || *name == "both") return;
  if (*name == "callers") {
    out = GraphDirection::callers;
  } else if (*name == "callees") {
    out = GraphDirection::callees;
  } else {
    context.fail("a member direction of callers, callees, both");
  }
}

void read_order(const Json& json, bool& by_regression, ReadContext& context) {
  std::optional<std::string> name;
  ObjectReader(json, context).optional("order", name);
  by_regression = name == "regression";
  if (name && *name != "cost" && !by_regression) context.fail("a member order of cost, regression");
}

}  // namespace

void read_json(const Json& json, LineDataParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("textDocument", out.text_document)
      .optional("range", out.range)
      .optional("inlinedAtCalls", out.inlined_at_calls)
      .optional("hottest", out.hottest)
      .optional("functions", out.functions);
}

void read_json(const Json& json, HotSpotsParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .optional("program", out.program)
      .optional("query", out.query)
      .optional("limit", out.limit);
  read_metric(json, out.metric, context);
  read_order(json, out.by_regression, context);
}

void read_json(const Json& json, FlatProfileParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .optional("program", out.program)
      .optional("limit", out.limit)
      .optional("offset", out.offset);
}

void read_json(const Json& json, CyclesParams& out, ReadContext& context) {
  ObjectReader(json, context).optional("program", out.program);
}

void read_json(const Json& json, CallGraphParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .optional("textDocument", out.text_document)
      .optional("position", out.position)
      .optional("program", out.program)
      .optional("symbol", out.symbol)
      .optional("depth", out.depth);
  read_direction(json, out.direction, context);
  const bool has_place = out.text_document && out.position;
  if (!has_place && !out.symbol) {
    context.fail("an object with textDocument and position, or with symbol");
  }
}

void read_json(const Json& json, CallSitesParams& out, ReadContext& context) {
  std::string direction;
  ObjectReader(json, context)
      .required("textDocument", out.text_document)
      .required("position", out.position)
      .required("direction", direction);
  out.direction = direction == "callees" ? GraphDirection::callees : GraphDirection::callers;
  if (direction != "callers" && direction != "callees") {
    context.fail("a member direction of callers, callees");
  }
}

void read_json(const Json& json, FlameGraphParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .optional("textDocument", out.text_document)
      .optional("position", out.position)
      .optional("program", out.program)
      .optional("maximumDepth", out.maximum_depth)
      .optional("minimumShare", out.minimum_share);
  if (out.text_document.has_value() != out.position.has_value()) {
    context.fail("an object with both of textDocument and position, or neither");
  }
}

void read_json(const Json& json, ExportParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("format", out.format)
      .optional("program", out.program)
      .optional("path", out.path)
      .optional("table", out.table);
}

void read_json(const Json& json, ReportParams& out, ReadContext& context) {
  ObjectReader(json, context)
      .required("kind", out.kind)
      .optional("program", out.program)
      .optional("options", out.options)
      .optional("file", out.file);
}

void read_json(const Json&, ProgramsParams&, ReadContext&) {}

std::optional<ExportParams> any_export(const AnyValue& value) {
  auto read = from_json<ExportParams>(write_json(value), "value");
  if (!read) return std::nullopt;
  return std::move(*read);
}

std::optional<ReportParams> any_report(const AnyValue& value) {
  auto read = from_json<ReportParams>(write_json(value), "value");
  if (!read) return std::nullopt;
  return std::move(*read);
}

}  // namespace gprof::lsp
