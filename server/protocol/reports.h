// Structures of reports as virtual documents: their text, and the links, folds and definitions in
// it.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/protocol/basic_types.h"

namespace gprof::lsp {

// workspace/textDocumentContent
struct TextDocumentContentParams {
  DocumentUri uri;

  static void fields(auto& visit, auto& self) { visit.uri("uri", self.uri); }
};

struct TextDocumentContentResult {
  std::string text;

  static void fields(auto& visit, auto& self) { visit("text", self.text); }
};

// textDocument/documentLink
struct DocumentLinkParams {
  TextDocumentIdentifier text_document;

  static void fields(auto& visit, auto& self) { visit("textDocument", self.text_document); }
};

struct DocumentLink {
  static constexpr const char* documented_as = "ReportLink";

  Range range;
  DocumentUri target;
  std::optional<std::string> tooltip;  // for clients that show it

  static void fields(auto& visit, auto& self) {
    visit("range", self.range, "in the text, within one line");
    visit.uri("target", self.target, "ends with \"#L12\" for line 12, counted from 1");
    visit("tooltip", self.tooltip);
  }
  friend bool operator==(const DocumentLink&, const DocumentLink&) = default;
};

// textDocument/foldingRange
struct FoldingRangeParams {
  TextDocumentIdentifier text_document;

  static void fields(auto& visit, auto& self) { visit("textDocument", self.text_document); }
};

enum class FoldingKind : std::uint8_t { region, comment };
template <>
inline constexpr auto wire_names<FoldingKind> =
    enum_names<FoldingKind>({{FoldingKind::region, "region"}, {FoldingKind::comment, "comment"}});

// Whole lines, the last one included.
struct FoldingRange {
  std::uint32_t start_line = 0;
  std::uint32_t end_line = 0;
  FoldingKind kind = FoldingKind::region;

  static void fields(auto& visit, auto& self) {
    visit("startLine", self.start_line);
    visit("endLine", self.end_line);
    visit("kind", self.kind);
  }
  friend bool operator==(const FoldingRange&, const FoldingRange&) = default;
};

}  // namespace gprof::lsp
