// The documents that are open in the client.
//
// Ownership: shares each document's newest version; snapshots that were handed out stay as they
// are. Thread contract: the I/O thread only; the documents it hands out may go anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/support/expected.h"
#include "server/documents/document.h"
#include "server/documents/open_document.h"
#include "server/protocol/documents.h"

namespace gprof::lsp {

class DocumentStore {
 public:
  // Before the first document is opened.
  void set_encoding(PositionEncoding encoding) { encoding_ = encoding; }

  // A document that is open already is opened anew. One that was closed with this very text, not
  // too long ago, keeps its anchors: it has been edited since they were made.
  void open(DidOpenParams params);
  // Fails with not_found where the document is not open.
  Expected<void> change(const DidChangeParams& params);
  // The present text becomes an anchor: a build may compile it.
  Expected<void> save(const DocumentUri& uri);
  Expected<void> close(const DocumentUri& uri);
  // The same as save() for every document: a build is about to be read, and nobody knows what was
  // saved.
  void anchor_all();

  // Null where the document is not open.
  [[nodiscard]] std::shared_ptr<const Document> find(const DocumentUri& uri) const;
  // The same, for whoever looks at it later.
  [[nodiscard]] std::shared_ptr<const OpenDocument> open_document(const DocumentUri& uri) const;
  // Never null. Stays as it is while documents open and close; their texts are the newest ones.
  [[nodiscard]] std::shared_ptr<const OpenFiles> open_files() const { return open_files_; }
  [[nodiscard]] std::size_t size() const { return documents_.size(); }

 private:
  struct ClosedDocument {
    std::string key;
    std::shared_ptr<const LineHashes> last;
    std::vector<LineProvenance> anchors;
  };

  // By path where the URI names a file, since clients differ in what they percent-encode.
  [[nodiscard]] static std::string key(const DocumentUri& uri);
  void list_open_files();
  void remember(const std::string& key, const Document& document);
  [[nodiscard]] std::vector<LineProvenance> remembered(const std::string& key,
                                                       const Document& document);

  PositionEncoding encoding_ = PositionEncoding::utf16;
  std::uint64_t last_revision_ = 0;
  std::map<std::string, std::shared_ptr<OpenDocument>> documents_;
  std::shared_ptr<const OpenFiles> open_files_ = std::make_shared<const OpenFiles>();
  std::deque<ClosedDocument> closed_;  // the newest at the end
};

}  // namespace gprof::lsp
