// The documents that are open in the client.
//
// Ownership: shares each document's newest version; snapshots that were handed out stay as they
// are. Thread contract: the I/O thread only; the documents it hands out may go anywhere.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "engine/support/expected.h"
#include "server/document.h"
#include "server/protocol/documents.h"

namespace gprof::lsp {

class DocumentStore {
 public:
  // Before the first document is opened.
  void set_encoding(PositionEncoding encoding) { encoding_ = encoding; }

  // A document that is open already is opened anew.
  void open(DidOpenParams params);
  // Fails with not_found where the document is not open.
  Expected<void> change(const DidChangeParams& params);
  Expected<void> close(const DocumentUri& uri);

  // Null where the document is not open.
  [[nodiscard]] std::shared_ptr<const Document> find(const DocumentUri& uri) const;
  [[nodiscard]] std::size_t size() const { return documents_.size(); }

 private:
  // By path where the URI names a file, since clients differ in what they percent-encode.
  [[nodiscard]] static std::string key(const DocumentUri& uri);

  PositionEncoding encoding_ = PositionEncoding::utf16;
  std::map<std::string, std::shared_ptr<const Document>> documents_;
};

}  // namespace gprof::lsp
