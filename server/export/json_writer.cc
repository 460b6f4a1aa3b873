#include "server/export/json_writer.h"

#include <algorithm>
#include <numeric>

#include "server/export/export_lines.h"
#include "server/protocol/json_text.h"
#include "server/protocol/metric_messages.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

// Errors only where there are any.
Json values_json(const FiguresByName& values) {
  Json all = Json::object();
  for (const auto& [name, value] : values) {
    Json& json = all[well_formed(name)];
    json["self"] = value.self.value;
    if (value.self.error > 0) json["selfError"] = value.self.error;
    if (!value.total) continue;
    json["total"] = value.total->value;
    if (value.total->error > 0) json["totalError"] = value.total->error;
  }
  return all;
}

class JsonWriter {
 public:
  JsonWriter(const ExportTables& tables, const ExportValues& values, FrameNames& names,
             ExportOutput& output)
      : tables_(tables),
        values_(values),
        snapshot_(tables.snapshot()),
        profile_(snapshot_.profile()),
        names_(names),
        output_(output) {}

  void write();

 private:
  void write_head();
  void write_metrics();
  void write_threads();
  [[nodiscard]] std::vector<std::uint32_t> by_address() const;
  void begin_table(const char* name);
  void write_row(const Json& row);
  [[nodiscard]] Json describe(std::uint32_t id, const ValuedFunction& valued);
  [[nodiscard]] Json describe(const ExportArc& arc);
  [[nodiscard]] Json describe(const ExportCallSite& site);
  [[nodiscard]] Json describe(std::uint32_t function, const ValuedLine& valued);
  void put_place(Json& json, FileId file, LineNumber line);
  void put_kernel_time(Json& json, Ticks kernel) const;

  const ExportTables& tables_;
  const ExportValues& values_;
  const Snapshot& snapshot_;
  const FunctionCosts& profile_;
  FrameNames& names_;
  ExportOutput& output_;
  bool first_row_ = true;
};

void JsonWriter::write() {
  write_head();
  write_metrics();
  write_threads();
  names_.prepare(tables_.frames());
  begin_table("functions");
  const auto& functions = values_.functions();
  for (std::uint32_t i = 0; i < functions.size() && !output_.failed(); ++i) {
    write_row(describe(i, functions[i]));
  }
  output_.write("],\n");
  begin_table("arcs");
  for (const std::uint32_t caller : tables_.by_address()) {
    if (output_.failed()) return;
    for (const ExportArc& arc : tables_.arcs_of(caller)) write_row(describe(arc));
  }
  output_.write("],\n");
  begin_table("lines");
  for (const std::uint32_t i : by_address()) {
    if (output_.failed()) return;
    for (const ValuedLine& line : values_.lines(functions[i])) write_row(describe(i, line));
  }
  output_.write("]\n}\n");
}

void JsonWriter::write_head() {
  output_.print("{{\n\"exporter\":\"gprof-lsp {}\",\n\"version\":{},\n", GPROF_LSP_VERSION,
                export_document_version);
  output_.print("\"program\":{},\n\"profiles\":{},\n", json_text(snapshot_.image().path()),
                json_text(snapshot_.profile_paths()));
  const Selection& selection = snapshot_.selection();
  if (!selection.is_all()) {
    output_.print("\"selected\":{},\n",
                  json_text(selection_text(selection, snapshot_.dimensions())));
  }
  output_.print("\"basis\":\"{}\",\n\"metric\":{},\n\"unit\":{},\n\"ticksPerUnit\":{},\n",
                basis_name(tables_.measured()), json_text(snapshot_.cost_metric().name),
                json_text(profile_.dimension()), json_text(profile_.ticks_per_second()));
  output_.print("\"total\":{},\n", json_text(profile_.seconds(tables_.self_ticks())));
}

void JsonWriter::write_metrics() {
  begin_table("metrics");
  for (const auto& [metric, total] : values_.metrics()) {
    Json json = {{"name", well_formed(metric.name)},
                 {"unit", well_formed(metric.unit)},
                 {"kind", name_of(metric.kind)}};
    if (total) json["total"] = *total;
    write_row(json);
  }
  output_.write("],\n");
}

// Their numbers are unique within a process.
void JsonWriter::write_threads() {
  const Dimensions& dimensions = snapshot_.dimensions();
  begin_table("threads");
  for (const RecordedThread& thread : dimensions.threads) {
    Json json = {{"id", thread.thread}, {"name", well_formed(thread.name)}, {"cpu", thread.cpu}};
    if (dimensions.processes.size() > 1) json["process"] = thread.process;
    write_row(json);
  }
  output_.write("],\n");
}

std::vector<std::uint32_t> JsonWriter::by_address() const {
  const auto& functions = values_.functions();
  std::vector<std::uint32_t> order(functions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return functions[a].shown.frame < functions[b].shown.frame;
  });
  return order;
}

void JsonWriter::begin_table(const char* name) {
  output_.print("\"{}\":[", name);
  first_row_ = true;
}

void JsonWriter::write_row(const Json& row) {
  output_.print("{}\n{}", first_row_ ? "" : ",", json_text(row));
  first_row_ = false;
}

void JsonWriter::put_place(Json& json, FileId file, LineNumber line) {
  if (file != no_file) json["file"] = names_.path(file);
  if (line != 0) json["line"] = line;
}

void JsonWriter::put_kernel_time(Json& json, Ticks kernel) const {
  if (!(kernel > 0)) return;
  json["selfInKernel"] = profile_.seconds(kernel);
  json["selfInKernelError"] = profile_.seconds(profile_.kernel().error_of(kernel));
}

Json JsonWriter::describe(std::uint32_t id, const ValuedFunction& valued) {
  const ExportFunction& function = valued.shown;
  FrameNames& names = *valued.names;
  Json json = {{"id", id},
               {"name", names.of(function.frame)},
               {"self", profile_.seconds(function.self)},
               {"selfError", profile_.seconds(function.self_error)},
               {"total", profile_.seconds(function.total)},
               {"totalError", profile_.seconds(function.error)}};
  put_kernel_time(json, function.kernel);
  if (is_of_function(names.snapshot().stacks(), function.frame)) {
    json["linkageName"] = names.linkage_name(function.frame);
  }
  if (function.frame.kind == FlameFrameKind::module) {
    json["module"] = names.module_of(function.frame);
  }
  if (const auto& declared = names.declaration(function.frame)) {
    put_place(json, declared->file, declared->line);
  }
  if (function.calls > 0) json["calls"] = function.calls;
  if (function.recursive_calls > 0) json["recursiveCalls"] = function.recursive_calls;
  if (function.cycle != 0) json["cycle"] = function.cycle;
  json["values"] = values_json(values_.values(valued));
  return json;
}

Json JsonWriter::describe(const ExportArc& arc) {
  Json json = {{"caller", arc.caller},
               {"callee", arc.callee},
               {"time", profile_.seconds(arc.ticks)},
               {"timeError", profile_.seconds(arc.error)}};
  if (arc.calls > 0) json["calls"] = arc.calls;
  json["sites"] = Json::array();
  for (const ExportCallSite& site : call_sites(tables_, arc))
    json["sites"].push_back(describe(site));
  return json;
}

Json JsonWriter::describe(const ExportCallSite& site) {
  Json json = {{"time", profile_.seconds(site.ticks)}};
  put_place(json, site.file, site.line);
  if (site.calls > 0) json["calls"] = site.calls;
  if (site.approximate) json["approximate"] = true;
  return json;
}

Json JsonWriter::describe(std::uint32_t function, const ValuedLine& valued) {
  const ExportLine& line = valued.shown;
  Json json = {{"function", function},
               {"self", profile_.seconds(line.self)},
               {"selfError", profile_.seconds(profile_.error_of(line.self))}};
  put_kernel_time(json, line.kernel);
  put_place(json, line.file, line.line);
  if (line.executions) json["executions"] = *line.executions;
  json["values"] = values_json(valued.values);
  return json;
}

}  // namespace

void write_json_document(const ExportTables& tables, const ExportValues& values, FrameNames& names,
                         ExportOutput& output) {
  JsonWriter(tables, values, names, output).write();
}

}  // namespace gprof::lsp
