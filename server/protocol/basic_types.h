// The building blocks of the protocol: positions, ranges, locations, text in markup.
//
// Lines and characters start at 0; characters count code units of the negotiated encoding.
// Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <string>

namespace gprof::lsp {

// As the client wrote it; compare paths, not URIs, across documents (protocol/uri.h).
using DocumentUri = std::string;

// What a Position's character counts.
enum class PositionEncoding : std::uint8_t { utf8, utf16, utf32 };

struct Position {
  std::uint32_t line = 0;
  std::uint32_t character = 0;

  friend auto operator<=>(const Position&, const Position&) = default;
};

// Half open; begin <= end is not promised by clients.
struct Range {
  Position start;
  Position end;

  friend bool operator==(const Range&, const Range&) = default;
};

struct Location {
  DocumentUri uri;
  Range range;

  friend bool operator==(const Location&, const Location&) = default;
};

struct TextDocumentIdentifier {
  DocumentUri uri;
};

// Parameters of every request about one place in a document.
struct TextDocumentPositionParams {
  TextDocumentIdentifier text_document;
  Position position;
};

enum class MarkupKind : std::uint8_t { plaintext, markdown };

struct MarkupContent {
  MarkupKind kind = MarkupKind::plaintext;
  std::string value;

  friend bool operator==(const MarkupContent&, const MarkupContent&) = default;
};

// The parameters of a message that has none, and a result that is null.
struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

}  // namespace gprof::lsp
