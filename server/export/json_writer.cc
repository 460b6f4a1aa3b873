#include "server/export/json_writer.h"

#include "server/export/export_lines.h"
#include "server/protocol/json_text.h"

namespace gprof::lsp {
namespace {

class JsonWriter {
 public:
  JsonWriter(const ExportTables& tables, FrameNames& names, ExportOutput& output)
      : tables_(tables),
        snapshot_(tables.snapshot()),
        profile_(snapshot_.profile()),
        names_(names),
        output_(output) {}

  void write();

 private:
  void write_head();
  void begin_table(const char* name);
  void write_row(const Json& row);
  [[nodiscard]] Json describe(std::uint32_t id, const ExportFunction& function);
  [[nodiscard]] Json describe(const ExportArc& arc);
  [[nodiscard]] Json describe(const ExportCallSite& site);
  [[nodiscard]] Json describe(std::uint32_t function, const ExportLine& line);
  void put_place(Json& json, FileId file, LineNumber line);

  const ExportTables& tables_;
  const Snapshot& snapshot_;
  const Profile& profile_;
  FrameNames& names_;
  ExportOutput& output_;
  bool first_row_ = true;
};

void JsonWriter::write() {
  write_head();
  names_.prepare(tables_.frames());
  begin_table("functions");
  const auto& functions = tables_.functions();
  for (std::uint32_t i = 0; i < functions.size() && !output_.failed(); ++i) {
    write_row(describe(i, functions[i]));
  }
  output_.write("],\n");
  begin_table("arcs");
  const std::vector<std::uint32_t> by_address = tables_.by_address();
  for (const std::uint32_t caller : by_address) {
    if (output_.failed()) return;
    for (const ExportArc& arc : tables_.arcs_of(caller)) write_row(describe(arc));
  }
  output_.write("],\n");
  begin_table("lines");
  for (const std::uint32_t i : by_address) {
    if (output_.failed()) return;
    for (const ExportLine& line : function_lines(snapshot_, functions[i].symbols)) {
      write_row(describe(i, line));
    }
  }
  output_.write("]\n}\n");
}

void JsonWriter::write_head() {
  output_.print("{{\n\"exporter\":\"gprof-lsp {}\",\n\"version\":{},\n", GPROF_LSP_VERSION,
                export_document_version);
  output_.print("\"program\":{},\n\"profiles\":{},\n", json_text(snapshot_.image().path()),
                json_text(snapshot_.profile_paths()));
  output_.print("\"basis\":\"{}\",\n\"unit\":{},\n\"ticksPerUnit\":{},\n\"total\":{},\n",
                basis_name(tables_.measured()), json_text(profile_.dimension()),
                json_text(profile_.ticks_per_second()),
                json_text(profile_.seconds(tables_.self_ticks())));
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

Json JsonWriter::describe(std::uint32_t id, const ExportFunction& function) {
  Json json = {{"id", id},
               {"name", names_.of(function.frame)},
               {"self", profile_.seconds(function.self)},
               {"selfError", profile_.seconds(function.self_error)},
               {"total", profile_.seconds(function.total)},
               {"totalError", profile_.seconds(function.error)}};
  if (is_of_function(snapshot_.stacks(), function.frame)) {
    json["linkageName"] = names_.linkage_name(function.frame);
  }
  if (function.frame.kind == FlameFrameKind::module) {
    json["module"] = names_.module_of(function.frame);
  }
  if (const auto& declared = names_.declaration(function.frame)) {
    put_place(json, declared->file, declared->line);
  }
  if (function.calls > 0) json["calls"] = function.calls;
  if (function.recursive_calls > 0) json["recursiveCalls"] = function.recursive_calls;
  if (function.cycle != 0) json["cycle"] = function.cycle;
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

Json JsonWriter::describe(std::uint32_t function, const ExportLine& line) {
  Json json = {{"function", function},
               {"self", profile_.seconds(line.self)},
               {"selfError", profile_.seconds(profile_.error_of(line.self))}};
  put_place(json, line.file, line.line);
  if (line.executions) json["executions"] = *line.executions;
  return json;
}

}  // namespace

void write_json_document(const ExportTables& tables, FrameNames& names, ExportOutput& output) {
  JsonWriter(tables, names, output).write();
}

}  // namespace gprof::lsp
