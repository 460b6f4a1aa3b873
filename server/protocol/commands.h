// Arguments and answers of the commands of workspace/executeCommand.
//
// The texts of members become their documentation (tools/describe_protocol.cc). Plain
// values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"
#include "server/protocol/enumeration.h"

namespace gprof::lsp {

enum class ExportFormat : std::uint8_t { callgrind, csv, dot, folded, json, pprof, speedscope };
template <>
inline constexpr auto wire_names<ExportFormat> =
    enum_names<ExportFormat>({{ExportFormat::callgrind, "callgrind"},
                              {ExportFormat::csv, "csv"},
                              {ExportFormat::dot, "dot"},
                              {ExportFormat::folded, "folded"},
                              {ExportFormat::json, "json"},
                              {ExportFormat::pprof, "pprof"},
                              {ExportFormat::speedscope, "speedscope"}});

// For csv, which holds one table.
enum class ExportTable : std::uint8_t { functions, arcs, lines };
template <>
inline constexpr auto wire_names<ExportTable> =
    enum_names<ExportTable>({{ExportTable::functions, "functions"},
                             {ExportTable::arcs, "arcs"},
                             {ExportTable::lines, "lines"}});

struct ExportArgument {
  ExportFormat format = ExportFormat::callgrind;
  std::optional<std::string> program;
  std::optional<std::string> path;
  std::optional<ExportTable> table;

  static void fields(auto& visit, auto& self) {
    visit("format", self.format);
    visit("program", self.program);
    visit("path", self.path,
          "of the file to write, or its URI; relative to the first workspace folder");
    visit("table", self.table, "for csv; functions by default");
  }
};

struct ExportedText {
  std::string text;

  static void fields(auto& visit, auto& self) { visit("text", self.text, "at most 32 MiB"); }
};

struct ExportedFile {
  DocumentUri uri;

  static void fields(auto& visit, auto& self) { visit.uri("uri", self.uri); }
};

struct LoadArgument {
  std::string executable;
  std::vector<std::string> profiles;
  bool newest = false;

  static void fields(auto& visit, auto& self) {
    visit("executable", self.executable, "path or file URI, like all paths here");
    visit.optional("profiles", self.profiles,
                   "glob patterns; if omitted, the server looks for them");
    visit.optional("newest", self.newest, "show only the newest match, now and later, not the sum");
  }
};

struct CompareArgument {
  std::optional<std::string> executable;
  std::vector<std::string> profiles;

  static void fields(auto& visit, auto& self) {
    visit("executable", self.executable, "if omitted, profiles of the program being shown");
    visit.optional("profiles", self.profiles,
                   "glob patterns: each profile is a run; if omitted, the server looks for them");
  }
};

struct SelectArgument {
  std::string executable;
  std::vector<std::string> profiles;
  bool pinned = false;

  static void fields(auto& visit, auto& self) {
    visit("executable", self.executable);
    visit.optional(
        "profiles", self.profiles,
        "paths: their sum is shown until a newer one is written; if omitted, the newest");
    visit.optional("pinned", self.pinned, "keep showing these profiles, whatever is written");
  }
};

struct PlaceArgument {
  DocumentUri uri;
  Position position;
  std::optional<std::string> function;

  static void fields(auto& visit, auto& self) {
    visit.uri("uri", self.uri);
    visit("position", self.position);
    visit("function", self.function, "which of several whose names are on the line");
  }
};

struct FunctionOfLine {
  std::string name;
  std::string figures;
  std::string function;

  static void fields(auto& visit, auto& self) {
    visit("name", self.name, "as it differs from those of the others");
    visit("figures", self.figures);
    visit("function", self.function, "for a PlaceArgument");
  }
};

struct ShownReport {
  DocumentUri uri;
  std::optional<std::string> text;

  static void fields(auto& visit, auto& self) {
    visit.uri("uri", self.uri);
    visit("text", self.text, "if the client cannot show the document");
  }
};

}  // namespace gprof::lsp
