// The newest version of an open document, for later access.
//
// A waiting request holds this rather than a version, so that a flood of edits keeps one text
// alive, not one per request, and the answer is about the current text. The holder of a closed
// document keeps its last version for as long as the holder exists.
// Ownership: shares the version. Thread contract: all members may be called from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "server/documents/document.h"

namespace gprof::lsp {

class OpenDocument {
 public:
  OpenDocument(std::shared_ptr<const Document> text, std::uint64_t revision)
      : text_(std::move(text)), revision_(revision) {}

  // Never null.
  [[nodiscard]] std::shared_ptr<const Document> newest() const;
  // Changes with every change of the text. Unique within one store, whatever the client's versions
  // are and however often the document is opened.
  [[nodiscard]] std::uint64_t revision() const;

  // A request takes a ticket when it arrives, so that before it is answered it can see whether a
  // newer one of the same method has arrived.
  [[nodiscard]] std::uint64_t take_ticket(std::string_view method) const;
  [[nodiscard]] bool is_newest_ticket(std::string_view method, std::uint64_t ticket) const;

  // For the store. The same text with other origins keeps its revision.
  void publish(std::shared_ptr<const Document> text, std::uint64_t revision);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Document> text_;
  std::uint64_t revision_ = 0;
  // One entry per method ever requested: a dozen.
  mutable std::vector<std::pair<std::string, std::uint64_t>> tickets_;
};

// The files that are open, by path: their texts count, not the disk's.
//
// One shared list: it is never copied, however many files are open.
// Ownership: shares the documents. Thread contract: any thread.
class OpenFiles {
 public:
  // Null if the file is not open.
  [[nodiscard]] std::shared_ptr<const OpenDocument> find(const std::filesystem::path& path) const;

  // For the store.
  void add(const std::string& path, std::shared_ptr<const OpenDocument> document);
  void remove(const std::string& path);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const OpenDocument>> files_;
};

}  // namespace gprof::lsp
