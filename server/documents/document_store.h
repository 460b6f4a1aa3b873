// The documents open in the client. Their total size is bounded: a document that does not fit is
// left out, and unknown until it is opened again.
//
// Ownership: shares each document's newest version; versions already handed out do not change.
// Thread contract: the I/O thread only; the documents it hands out may go anywhere.
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

  // Call before the first document is opened.
  void set_encoding(PositionEncoding encoding) { encoding_ = encoding; }

  // Reopens a document that is already open. One closed recently with the same text keeps its
  // origins: it has been edited since. Fails with unsupported if it is left out.
  Expected<void> open(DidOpenParams params);
  // Fails with not_found if the document is not open, as the others do; with unsupported if it has
  // grown so large that it is left out from now on. Documents already left out are not reported
  // again.
  Expected<void> change(const DidChangeParams& params);
  // The present text becomes an origin: a build may compile it.
  Expected<void> save(const DocumentUri& uri);
  Expected<void> close(const DocumentUri& uri);

  // Null if the document is not open.
  [[nodiscard]] std::shared_ptr<const Document> find(const DocumentUri& uri) const;
  // The same, for later access to its newest version.
  [[nodiscard]] std::shared_ptr<const OpenDocument> open_document(const DocumentUri& uri) const;
  // Never null; always the same object.
  [[nodiscard]] std::shared_ptr<const OpenFiles> open_files() const { return open_files_; }
  [[nodiscard]] std::size_t size() const { return documents_.size(); }
  [[nodiscard]] bool is_left_out(const DocumentUri& uri) const {
    return left_out_.contains(key(uri));
  }
  [[nodiscard]] bool any_left_out() const { return !left_out_.empty(); }
  // Total size of the documents.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct ClosedDocument {
    std::string key;
    std::shared_ptr<const LineHashes> last;
    std::vector<Origin> origins;
  };

  // The path if the URI names a file, since clients differ in what they percent-encode.
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
  [[nodiscard]] std::vector<Origin> remembered(const std::string& key, const Document& document);

  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  std::uint64_t last_revision_ = 0;
  Holders documents_;
  std::unordered_set<std::string> left_out_;
  std::shared_ptr<OpenFiles> open_files_ = std::make_shared<OpenFiles>();
  std::deque<ClosedDocument> closed_;  // newest last
};

}  // namespace gprof::lsp
