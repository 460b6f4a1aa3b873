// The building blocks of the protocol: positions, ranges, locations, text in markup.
//
// Lines and characters start at 0; characters count code units of the negotiated encoding.
// Each structure describes its members in fields(): description.h. Plain values. Thread contract:
// as for any value.
#pragma once

#include <cstdint>
#include <string>

#include "server/protocol/enumeration.h"
#include "server/text/markup_kind.h"

namespace gprof::lsp {

// As the client wrote it; compare paths, not URIs, across documents (protocol/uri.h).
using DocumentUri = std::string;

// What a Position's character counts.
enum class PositionEncoding : std::uint8_t { utf8, utf16, utf32 };
template <>
inline constexpr auto wire_names<PositionEncoding> =
    enum_names<PositionEncoding>({{PositionEncoding::utf8, "utf-8"},
                                  {PositionEncoding::utf16, "utf-16"},
                                  {PositionEncoding::utf32, "utf-32"}});

struct Position {
  std::uint32_t line = 0;
  std::uint32_t character = 0;

  static void fields(auto& visit, auto& self) {
    visit("line", self.line);
    visit("character", self.character);
  }
  friend auto operator<=>(const Position&, const Position&) = default;
};

// Half open. Clients do not promise that start <= end.
struct Range {
  Position start;
  Position end;

  static void fields(auto& visit, auto& self) {
    visit("start", self.start);
    visit("end", self.end);
  }
  friend bool operator==(const Range&, const Range&) = default;
};

struct Location {
  DocumentUri uri;
  Range range;

  static void fields(auto& visit, auto& self) {
    visit.uri("uri", self.uri);
    visit("range", self.range);
  }
  friend bool operator==(const Location&, const Location&) = default;
};

struct TextDocumentIdentifier {
  DocumentUri uri;

  static void fields(auto& visit, auto& self) { visit.uri("uri", self.uri); }
};

// Parameters of every request about one place in a document.
struct TextDocumentPositionParams {
  TextDocumentIdentifier text_document;
  Position position;

  static void fields(auto& visit, auto& self) {
    visit("textDocument", self.text_document);
    visit("position", self.position);
  }
};

template <>
inline constexpr auto wire_names<MarkupKind> = enum_names<MarkupKind>(
    {{MarkupKind::plaintext, "plaintext"}, {MarkupKind::markdown, "markdown"}});

// Clients may send a plain string for it.
struct MarkupContent {
  MarkupKind kind = MarkupKind::plaintext;
  std::string value;

  static void fields(auto& visit, auto& self) {
    visit("kind", self.kind);
    visit("value", self.value);
  }
  friend bool operator==(const MarkupContent&, const MarkupContent&) = default;
};

// The parameters of a message that has none, and a result that is null.
struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

}  // namespace gprof::lsp
