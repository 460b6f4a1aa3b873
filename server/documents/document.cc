#include "server/documents/document.h"

#include <algorithm>
#include <utility>

#include "server/documents/document_editing.h"

namespace gprof::lsp {
namespace {

// Besides the opened text.
constexpr std::size_t most_saved_texts = 3;

// Of each document, regardless of its text.
constexpr std::size_t bytes_of_none = 1024;

std::size_t bytes_of_hashes(const LineHashes& hashes) { return hashes.size() * sizeof(LineHash); }

}  // namespace

Document::Document(std::string text, std::string language_id, std::int32_t version,
                   PositionEncoding encoding)
    : text_(std::move(text)),
      lines_(text_),
      hashes_(std::make_shared<const LineHashes>(hash_lines(text_, lines_))),
      language_id_(std::move(language_id)),
      version_(version),
      encoding_(encoding),
      origins_{Origin(hashes_)} {}

Document::Document(const Document& other, std::size_t room)
    : lines_(other.lines_),
      hashes_(other.hashes_),
      language_id_(other.language_id_),
      version_(other.version_),
      encoding_(other.encoding_),
      origins_(other.origins_),
      history_(other.history_) {
  text_.reserve(other.text_.size() + room);
  text_ = other.text_;
}

std::string_view Document::line(LineNumber number) const {
  if (number == 0) return {};
  return lines_.line(text_, number - 1);
}

std::size_t Document::memory() const {
  std::size_t bytes = bytes_of_none + text_.capacity() + lines_.line_count() * sizeof(std::size_t);
  bytes += bytes_of_hashes(*hashes_);
  for (const Origin& origin : origins_) {
    if (origin.lines() != hashes_) bytes += bytes_of_hashes(*origin.lines());
  }
  return bytes;
}

std::size_t Document::memory_of(std::string_view text) {
  return bytes_of_none + text.size() +
         LineTable::count_lines(text) * (sizeof(std::size_t) + sizeof(LineHash));
}

Position Document::position_of(std::size_t offset) const {
  return lsp::position_of(text_, lines_, offset, encoding_);
}

std::size_t Document::offset_of(Position position) const {
  return lsp::offset_of(text_, lines_, position, encoding_);
}

Position Document::end_of_line(LineNumber number) const {
  if (number == 0 || number > line_count()) return position_of(text_.size());
  const std::string_view content = line(number);
  return {number - 1, character_at_byte(content, content.size(), encoding_)};
}

std::shared_ptr<const Document> Document::edited(std::span<const ContentChange> changes,
                                                 std::int32_t version) const {
  // A large text is copied once per message, not again when it grows.
  std::size_t room = 0;
  for (const ContentChange& change : changes) room += change.range ? change.text.size() : 0;
  std::shared_ptr<Document> next(new Document(*this, room));
  next->version_ = version;
  Editing editing(*next);
  for (const ContentChange& change : changes) editing.apply(change);
  editing.finish();
  return next;
}

std::shared_ptr<const Document> Document::saved() const {
  std::shared_ptr<Document> next(new Document(*this));
  next->add_origin();
  return next;
}

void Document::add_origin() {
  const auto same = std::find_if(origins_.begin(), origins_.end(),
                                 [&](const Origin& origin) { return *origin.lines() == *hashes_; });
  if (same == origins_.begin()) return;
  // A text saved before becomes the newest again.
  if (same != origins_.end()) origins_.erase(same);
  origins_.emplace_back(hashes_);
  if (origins_.size() > 1 + most_saved_texts) origins_.erase(origins_.begin() + 1);
}

std::shared_ptr<const Document> Document::reopened(std::vector<Origin> origins) const {
  std::shared_ptr<Document> next(new Document(*this));
  next->origins_ = std::move(origins);
  return next;
}

}  // namespace gprof::lsp
