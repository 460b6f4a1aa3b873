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
};

struct TextDocumentContentResult {
  std::string text;
};

// textDocument/documentLink
struct DocumentLinkParams {
  TextDocumentIdentifier text_document;
};

// The range lies within one line.
struct DocumentLink {
  Range range;
  std::string target;                  // a URI; "#L12" after it means line 12, from 1
  std::optional<std::string> tooltip;  // to clients that show one

  friend bool operator==(const DocumentLink&, const DocumentLink&) = default;
};

// textDocument/foldingRange
struct FoldingRangeParams {
  TextDocumentIdentifier text_document;
};

enum class FoldingKind : std::uint8_t { region, comment };

// Whole lines, the last one included.
struct FoldingRange {
  std::uint32_t start_line = 0;
  std::uint32_t end_line = 0;
  FoldingKind kind = FoldingKind::region;

  friend bool operator==(const FoldingRange&, const FoldingRange&) = default;
};

}  // namespace gprof::lsp
