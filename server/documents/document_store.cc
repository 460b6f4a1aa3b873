#include "server/documents/document_store.h"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

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

DocumentStore::Holder* DocumentStore::find_holder(const std::string& name) {
  const auto found = documents_.find(name);
  return found == documents_.end() ? nullptr : &found->second;
}

Expected<void> DocumentStore::open(DidOpenParams params) {
  const std::string name = key(params.uri);
  left_out_.erase(name);
  if (const auto known = documents_.find(name); known != documents_.end()) {
    remember(name, *known->second.document->newest());
    take_out(known);
  }
  if (bytes_ + Document::memory_of(params.text) > most_bytes_) return leave_out(name);
  try {
    put(name, std::move(params));
  } catch (const std::bad_alloc&) {
    return leave_out(name);
  }
  return {};
}

void DocumentStore::put(const std::string& name, DidOpenParams params) {
  auto text = std::make_shared<const Document>(
      std::move(params.text), std::move(params.language_id), params.version, encoding_);
  if (auto origins = remembered(name, *text); !origins.empty()) {
    text = text->reopened(std::move(origins));
  }
  const std::size_t bytes = text->memory();
  auto document = std::make_shared<OpenDocument>(std::move(text), ++last_revision_);
  // Other documents' keys are URIs, which are not absolute paths.
  if (name.starts_with('/')) open_files_->add(name, document);
  documents_[name] = {std::move(document), bytes};
  bytes_ += bytes;
}

void DocumentStore::take_out(Holders::iterator holder) {
  open_files_->remove(holder->first);
  bytes_ -= holder->second.bytes;
  documents_.erase(holder);
}

Error DocumentStore::leave_out(const std::string& name) {
  if (const auto known = documents_.find(name); known != documents_.end()) take_out(known);
  open_files_->remove(name);
  left_out_.insert(name);
  return {ErrorCode::unsupported,
          fmt::format("there is no room for this document: those that are open may take {} MiB "
                      "together; it is shown without its profile until others are closed and it is "
                      "opened again",
                      most_bytes_ >> 20U),
          name,
          {}};
}

Expected<void> DocumentStore::change(const DidChangeParams& params) {
  const std::string name = key(params.uri);
  if (left_out_.contains(name)) return {};
  Holder* holder = find_holder(name);
  if (holder == nullptr) return not_open(params.uri);
  try {
    auto text = holder->document->newest()->edited(params.changes, params.version);
    const std::size_t bytes = text->memory();
    if (bytes_ - holder->bytes + bytes > most_bytes_) return leave_out(name);
    bytes_ = bytes_ - holder->bytes + bytes;
    holder->bytes = bytes;
    holder->document->publish(std::move(text), ++last_revision_);
  } catch (const std::bad_alloc&) {
    // A text that misses an edit would misplace everything after it.
    return leave_out(name);
  }
  return {};
}

Expected<void> DocumentStore::save(const DocumentUri& uri) {
  const std::string name = key(uri);
  if (left_out_.contains(name)) return {};
  Holder* holder = find_holder(name);
  if (holder == nullptr) return not_open(uri);
  OpenDocument& document = *holder->document;
  document.publish(document.newest()->saved(), document.revision());
  return {};
}

Expected<void> DocumentStore::close(const DocumentUri& uri) {
  const std::string name = key(uri);
  if (left_out_.erase(name) > 0) return {};
  const auto found = documents_.find(name);
  if (found == documents_.end()) return not_open(uri);
  remember(name, *found->second.document->newest());
  take_out(found);
  return {};
}

std::shared_ptr<const Document> DocumentStore::find(const DocumentUri& uri) const {
  const auto found = documents_.find(key(uri));
  return found == documents_.end() ? nullptr : found->second.document->newest();
}

std::shared_ptr<const OpenDocument> DocumentStore::open_document(const DocumentUri& uri) const {
  const auto found = documents_.find(key(uri));
  return found == documents_.end() ? nullptr : found->second.document;
}

void DocumentStore::remember(const std::string& key, const Document& document) {
  std::erase_if(closed_, [&](const ClosedDocument& closed) { return closed.key == key; });
  const auto origins = document.origins();
  closed_.push_back({key, document.hashes(), {origins.begin(), origins.end()}});
  std::size_t lines = 0;
  std::size_t kept = 0;
  for (auto closed = closed_.rbegin(); closed != closed_.rend() && kept < most_closed; ++closed) {
    lines += closed->last->size();
    for (const Origin& origin : closed->origins) lines += origin.lines()->size();
    if (lines > most_closed_lines) break;
    ++kept;
  }
  closed_.erase(closed_.begin(), closed_.end() - static_cast<std::ptrdiff_t>(kept));
}

std::vector<Origin> DocumentStore::remembered(const std::string& key, const Document& document) {
  const auto found = std::find_if(closed_.begin(), closed_.end(),
                                  [&](const ClosedDocument& closed) { return closed.key == key; });
  if (found == closed_.end()) return {};
  std::vector<Origin> origins;
  if (*found->last == *document.hashes()) origins = std::move(found->origins);
  closed_.erase(found);
  return origins;
}

}  // namespace gprof::lsp
