#include "server/documents/open_document.h"

#include <algorithm>

namespace gprof::lsp {

std::shared_ptr<const Document> OpenDocument::newest() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

std::uint64_t OpenDocument::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

std::uint64_t OpenDocument::take_ticket(std::string_view method) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(tickets_.begin(), tickets_.end(),
                                  [&](const auto& entry) { return entry.first == method; });
  if (known != tickets_.end()) return ++known->second;
  tickets_.emplace_back(method, 1);
  return 1;
}

bool OpenDocument::is_newest_ticket(std::string_view method, std::uint64_t ticket) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(tickets_.begin(), tickets_.end(), [&](const auto& entry) {
    return entry.first == method && entry.second == ticket;
  });
}

void OpenDocument::publish(std::shared_ptr<const Document> text, std::uint64_t revision) {
  // Releases the old version after the lock: freeing a large text takes time.
  const std::lock_guard lock(mutex_);
  text_.swap(text);
  revision_ = revision;
}

std::shared_ptr<const OpenDocument> OpenFiles::find(const std::filesystem::path& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(path.native());
  return found == files_.end() ? nullptr : found->second;
}

void OpenFiles::add(const std::string& path, std::shared_ptr<const OpenDocument> document) {
  const std::lock_guard lock(mutex_);
  files_[path] = std::move(document);
}

void OpenFiles::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  files_.erase(path);
}

}  // namespace gprof::lsp
