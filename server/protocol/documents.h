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
};

// Without a range, the text is the whole document.
struct ContentChange {
  std::optional<Range> range;
  std::string text;
};

struct DidChangeParams {
  DocumentUri uri;
  std::int32_t version = 0;
  std::vector<ContentChange> changes;  // each applies to the outcome of the one before
};

struct DidSaveParams {
  TextDocumentIdentifier text_document;
};

struct DidCloseParams {
  TextDocumentIdentifier text_document;
};

enum class FileChange : std::uint8_t { created = 1, changed = 2, deleted = 3 };

struct FileEvent {
  DocumentUri uri;
  FileChange change = FileChange::changed;
};

struct DidChangeWatchedFilesParams {
  std::vector<FileEvent> changes;
};

}  // namespace gprof::lsp
