#include "server/documents/document_store.h"

#include <algorithm>
#include <utility>

#include "server/protocol/uri.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_closed = 64;
// Of all closed documents' texts together; eight bytes each.
constexpr std::size_t most_closed_lines = std::size_t{1} << 20;

Error not_open(const DocumentUri& uri) {
  return {
      ErrorCode::not_found, "the document is not open: send textDocument/didOpen first", uri, {}};
}

}  // namespace

std::string DocumentStore::key(const DocumentUri& uri) {
  const auto path = path_from_uri(uri);
  return path ? path->native() : uri;
}

void DocumentStore::open(DidOpenParams params) {
  const std::string name = key(params.uri);
  auto text = std::make_shared<const Document>(
      std::move(params.text), std::move(params.language_id), params.version, encoding_);
  auto& holder = documents_[name];
  if (holder) remember(name, *holder->newest());
  if (auto anchors = remembered(name, *text); !anchors.empty()) {
    text = text->reopened(std::move(anchors));
  }
  holder = std::make_shared<OpenDocument>(std::move(text), ++last_revision_);
  list_open_files();
}

Expected<void> DocumentStore::change(const DidChangeParams& params) {
  const auto found = documents_.find(key(params.uri));
  if (found == documents_.end()) return not_open(params.uri);
  found->second->publish(found->second->newest()->edited(params.changes, params.version),
                         ++last_revision_);
  return {};
}

Expected<void> DocumentStore::save(const DocumentUri& uri) {
  const auto found = documents_.find(key(uri));
  if (found == documents_.end()) return not_open(uri);
  OpenDocument& document = *found->second;
  document.publish(document.newest()->anchored(), document.revision());
  return {};
}

Expected<void> DocumentStore::close(const DocumentUri& uri) {
  const auto found = documents_.find(key(uri));
  if (found == documents_.end()) return not_open(uri);
  remember(found->first, *found->second->newest());
  documents_.erase(found);
  list_open_files();
  return {};
}

void DocumentStore::anchor_all() {
  for (auto& [name, document] : documents_) {
    document->publish(document->newest()->anchored(), document->revision());
  }
}

std::shared_ptr<const Document> DocumentStore::find(const DocumentUri& uri) const {
  const auto found = documents_.find(key(uri));
  return found == documents_.end() ? nullptr : found->second->newest();
}

std::shared_ptr<const OpenDocument> DocumentStore::open_document(const DocumentUri& uri) const {
  const auto found = documents_.find(key(uri));
  return found == documents_.end() ? nullptr : found->second;
}

void DocumentStore::list_open_files() {
  auto files = std::make_shared<OpenFiles>();
  // Other documents' keys are URIs, which are no absolute paths.
  for (const auto& [name, document] : documents_) {
    if (name.starts_with('/')) files->emplace(name, document);
  }
  open_files_ = std::move(files);
}

void DocumentStore::remember(const std::string& key, const Document& document) {
  std::erase_if(closed_, [&](const ClosedDocument& closed) { return closed.key == key; });
  const auto anchors = document.anchors();
  closed_.push_back({key, document.hashes(), {anchors.begin(), anchors.end()}});
  std::size_t lines = 0;
  std::size_t kept = 0;
  for (auto closed = closed_.rbegin(); closed != closed_.rend() && kept < most_closed; ++closed) {
    lines += closed->last->size();
    for (const LineProvenance& anchor : closed->anchors) lines += anchor.original()->size();
    if (lines > most_closed_lines) break;
    ++kept;
  }
  closed_.erase(closed_.begin(), closed_.end() - static_cast<std::ptrdiff_t>(kept));
}

std::vector<LineProvenance> DocumentStore::remembered(const std::string& key,
                                                      const Document& document) {
  const auto found = std::find_if(closed_.begin(), closed_.end(),
                                  [&](const ClosedDocument& closed) { return closed.key == key; });
  if (found == closed_.end()) return {};
  std::vector<LineProvenance> anchors;
  if (*found->last == *document.hashes()) anchors = std::move(found->anchors);
  closed_.erase(found);
  return anchors;
}

}  // namespace gprof::lsp
