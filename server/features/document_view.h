// The document that a request is about.
//
// While a request waits it holds no text, so that a flood of requests and edits keeps one text
// alive, not one per request; it is answered for the text as it is then.
// Plain value. Thread contract: as for any value.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "server/documents/open_document.h"
#include "server/protocol/basic_types.h"

namespace gprof::lsp {

struct DocumentView {
  DocumentUri uri;
  std::filesystem::path path;  // empty if the URI names no file
  // Null if the document is not open in the client.
  std::shared_ptr<const OpenDocument> open;
  std::uint64_t revision = 0;  // of the text when the request came
  // Null if the document is not open, and until the request is answered.
  std::shared_ptr<const Document> document;
  // All files open in the client; may be null.
  std::shared_ptr<const OpenFiles> open_files;

  [[nodiscard]] bool changed_since_request() const { return open && open->revision() != revision; }
  // Takes the newest text. Call once, when the request is about to be answered.
  void take_text() {
    if (open) document = open->newest();
  }
};

}  // namespace gprof::lsp
