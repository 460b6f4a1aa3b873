#include "server/document_store.h"

#include <utility>

#include "server/protocol/uri.h"

namespace gprof::lsp {
namespace {

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
  documents_[key(params.uri)] = std::make_shared<const Document>(
      std::move(params.text), std::move(params.language_id), params.version, encoding_);
}

Expected<void> DocumentStore::change(const DidChangeParams& params) {
  const auto found = documents_.find(key(params.uri));
  if (found == documents_.end()) return not_open(params.uri);
  found->second = found->second->edited(params.changes, params.version);
  return {};
}

Expected<void> DocumentStore::close(const DocumentUri& uri) {
  if (documents_.erase(key(uri)) == 0) return not_open(uri);
  return {};
}

std::shared_ptr<const Document> DocumentStore::find(const DocumentUri& uri) const {
  const auto found = documents_.find(key(uri));
  return found == documents_.end() ? nullptr : found->second;
}

}  // namespace gprof::lsp
