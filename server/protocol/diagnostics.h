// Structures of diagnostics, asked for by the client or sent by the server.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"

namespace gprof::lsp {

// The protocol's numbers.
enum class DiagnosticSeverity : std::uint8_t { error = 1, warning = 2, information = 3, hint = 4 };
template <>
inline constexpr NumberRange wire_numbers<DiagnosticSeverity> = {1, 4};

struct DiagnosticRelatedInformation {
  Location location;
  std::string message;

  static void fields(auto& visit, auto& self) {
    visit("location", self.location);
    visit("message", self.message);
  }
  friend bool operator==(const DiagnosticRelatedInformation&,
                         const DiagnosticRelatedInformation&) = default;
};

struct Diagnostic {
  Range range;
  DiagnosticSeverity severity = DiagnosticSeverity::information;
  std::string code;
  std::string message;
  std::optional<std::vector<DiagnosticRelatedInformation>> related_information = {};

  static void fields(auto& visit, auto& self) {
    visit("range", self.range);
    visit("severity", self.severity);
    visit("code", self.code);
    visit.constant("source", "gprof");
    visit("message", self.message);
    visit("relatedInformation", self.related_information);
  }
  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

// Parameters of textDocument/diagnostic.
struct DocumentDiagnosticParams {
  TextDocumentIdentifier text_document;
  std::optional<std::string> previous_result_id;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document);
    visit("previousResultId", self.previous_result_id);
  }
};

// The answer: all items, or that they are the same as in the previous result.
struct DiagnosticReport {
  bool unchanged = false;
  std::string result_id;
  std::vector<Diagnostic> items;  // empty if unchanged

  static void fields(auto& visit, auto& self) {
    visit.constant("kind", self.unchanged ? "unchanged" : "full");
    visit("resultId", self.result_id);
    if (!self.unchanged) visit("items", self.items);
  }
};

struct PublishDiagnosticsParams {
  DocumentUri uri;
  std::optional<std::int32_t> version;
  std::vector<Diagnostic> diagnostics;

  static void fields(auto& visit, auto& self) {
    visit.uri("uri", self.uri);
    visit("version", self.version);
    visit("diagnostics", self.diagnostics);
  }
};

}  // namespace gprof::lsp
