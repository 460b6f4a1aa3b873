// Structures of text synchronisation and of watched files.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"

namespace gprof::lsp {

struct DidOpenParams {
  DocumentUri uri;
  std::string language_id;
  std::int32_t version = 0;
  std::string text;

  static void fields(auto& visit, auto& self) {
    visit.nested("textDocument", [&](auto& document) {
      document.uri("uri", self.uri);
      document.optional("languageId", self.language_id);
      document.optional("version", self.version);
      document("text", self.text);
    });
  }
};

// Without a range, the text is the whole document.
struct ContentChange {
  std::optional<Range> range;
  std::string text;

  static void fields(auto& visit, auto& self) {
    visit("range", self.range);
    visit("text", self.text);
  }
};

struct DidChangeParams {
  DocumentUri uri;
  std::int32_t version = 0;
  std::vector<ContentChange> changes;  // each applies to the result of the one before

  static void fields(auto& visit, auto& self) {
    visit.nested("textDocument", [&](auto& document) {
      document.uri("uri", self.uri);
      document.optional("version", self.version);
    });
    visit("contentChanges", self.changes);
  }
};

struct DidSaveParams {
  TextDocumentIdentifier text_document;

  static void fields(auto& visit, auto& self) { visit("textDocument", self.text_document); }
};

struct DidCloseParams {
  TextDocumentIdentifier text_document;

  static void fields(auto& visit, auto& self) { visit("textDocument", self.text_document); }
};

enum class FileChange : std::uint8_t { created = 1, changed = 2, deleted = 3 };
template <>
inline constexpr NumberRange wire_numbers<FileChange> = {1, 3};

struct FileEvent {
  DocumentUri uri;
  FileChange change = FileChange::changed;

  static void fields(auto& visit, auto& self) {
    visit.uri("uri", self.uri);
    visit("type", self.change);
  }
};

struct DidChangeWatchedFilesParams {
  std::vector<FileEvent> changes;

  static void fields(auto& visit, auto& self) { visit("changes", self.changes); }
};

}  // namespace gprof::lsp
