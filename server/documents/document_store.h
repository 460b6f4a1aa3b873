// The documents that are open in the client, as far as there is room for them: what they take
// together is bounded. Of a document that is left out nothing is known until it is opened anew.
//
// Ownership: shares each document's newest version; snapshots that were handed out stay as they
// are. Thread contract: the I/O thread only; the documents it hands out may go anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/support/expected.h"
#include "server/documents/document.h"
#include "server/documents/open_document.h"
#include "server/protocol/documents.h"

namespace gprof::lsp {

class DocumentStore {
 public:
  static constexpr std::size_t usual_bytes = std::size_t{512} << 20;

  explicit DocumentStore(std::size_t most_bytes = usual_bytes) : most_bytes_(most_bytes) {}

  // Before the first document is opened.
  void set_encoding(PositionEncoding encoding) { encoding_ = encoding; }

  // A document that is open already is opened anew. One that was closed with this very text, not
  // too long ago, keeps its anchors: it has been edited since they were made.
  // Fails with unsupported where it is left out.
  Expected<void> open(DidOpenParams params);
  // Fails with not_found where the document is not open, as the others do; with unsupported where
  // it has grown so large that it is left out from now on. Of those that are left out nothing is
  // said again.
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
  // Never null; the same one always.
  [[nodiscard]] std::shared_ptr<const OpenFiles> open_files() const { return open_files_; }
  [[nodiscard]] std::size_t size() const { return documents_.size(); }
  [[nodiscard]] bool is_left_out(const DocumentUri& uri) const {
    return left_out_.contains(key(uri));
  }
  [[nodiscard]] bool any_left_out() const { return !left_out_.empty(); }
  // What they take together.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct ClosedDocument {
    std::string key;
    std::shared_ptr<const LineHashes> last;
    std::vector<LineProvenance> anchors;
  };

  // By path where the URI names a file, since clients differ in what they percent-encode.
  [[nodiscard]] static std::string key(const DocumentUri& uri);
  struct Holder {
    std::shared_ptr<OpenDocument> document;
    std::size_t bytes = 0;
  };
  using Holders = std::unordered_map<std::string, Holder>;

  void put(const std::string& name, DidOpenParams params);
  void take_out(Holders::iterator holder);
  Error leave_out(const std::string& name);
  [[nodiscard]] Holder* find_holder(const std::string& name);
  void remember(const std::string& key, const Document& document);
  [[nodiscard]] std::vector<LineProvenance> remembered(const std::string& key,
                                                       const Document& document);

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  std::uint64_t last_revision_ = 0;
  Holders documents_;
  std::unordered_set<std::string> left_out_;
  std::shared_ptr<OpenFiles> open_files_ = std::make_shared<OpenFiles>();
  std::deque<ClosedDocument> closed_;  // the newest at the end
};

}  // namespace gprof::lsp
