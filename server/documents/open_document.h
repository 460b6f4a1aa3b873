// The newest version of a document that is open, for those that look at it later.
//
// A request that waits holds this rather than a version: so a flood of edits keeps one text alive,
// not one for each request, and what is answered in the end is about the text as it is. The holder
// of a closed document keeps its last version as long as somebody holds the holder.
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
  // Another number after every change of the text. Within one store, no number is used twice,
  // whatever the client's versions are and however often the document is opened.
  [[nodiscard]] std::uint64_t revision() const;

  // A request takes a ticket when it comes; when it is about to be answered it can see whether one
  // of the same method has come since.
  [[nodiscard]] std::uint64_t take_ticket(std::string_view method) const;
  [[nodiscard]] bool is_newest_ticket(std::string_view method, std::uint64_t ticket) const;

  // For the store. The same text with other anchors keeps its revision.
  void publish(std::shared_ptr<const Document> text, std::uint64_t revision);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Document> text_;
  std::uint64_t revision_ = 0;
  // One entry a method that was ever asked for: a dozen.
  mutable std::vector<std::pair<std::string, std::uint64_t>> tickets_;
};

// The files that are open, by path: their texts count, not the disk's.
//
// One list for all who look: it is never copied, however many files are open.
// Ownership: shares the documents. Thread contract: any thread.
class OpenFiles {
 public:
  // Null where the file is not open.
  [[nodiscard]] std::shared_ptr<const OpenDocument> find(const std::filesystem::path& path) const;

  // For the store.
  void add(const std::string& path, std::shared_ptr<const OpenDocument> document);
  void remove(const std::string& path);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const OpenDocument>> files_;
};

}  // namespace gprof::lsp
