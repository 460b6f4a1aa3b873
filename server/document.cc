#include "server/document.h"

#include <algorithm>
#include <utility>

namespace gprof::lsp {
namespace {

std::shared_ptr<const OriginalText> original_text(const std::string& text) {
  return std::make_shared<const OriginalText>(OriginalText{text, LineTable(text)});
}

}  // namespace

Document::Document(std::string text, std::string language_id, std::int32_t version,
                   PositionEncoding encoding)
    : text_(std::move(text)),
      lines_(text_),
      language_id_(std::move(language_id)),
      version_(version),
      encoding_(encoding),
      provenance_(original_text(text_)) {}

std::string_view Document::line(LineNumber number) const {
  if (number == 0) return {};
  return lines_.line(text_, number - 1);
}

bool Document::line_changed(LineNumber current) const {
  const auto before = provenance_.original_line(current);
  if (!before) return false;
  const OriginalText& opened = provenance_.original();
  return line(current) != opened.lines.line(opened.text, *before - 1);
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
  std::shared_ptr<Document> next(new Document(*this));
  for (const ContentChange& change : changes) {
    if (!change.range) {
      next->replace(0, next->text_.size(), change.text);
      continue;
    }
    const std::size_t one = next->offset_of(change.range->start);
    const std::size_t other = next->offset_of(change.range->end);
    const std::size_t offset = std::min(one, other);
    next->replace(offset, std::max(one, other) - offset, change.text);
  }
  next->version_ = version;
  next->provenance_.finish_edits({next->text_, next->lines_});
  return next;
}

void Document::replace(std::size_t offset, std::size_t removed, std::string_view inserted) {
  const std::size_t count_before = lines_.line_count();
  // One line more on either side: an edit beside a CR or an LF can join or part the neighbours.
  const std::size_t first = lines_.line_at(offset == 0 ? 0 : offset - 1);
  const std::size_t last = std::min(lines_.line_at(offset + removed) + 1, count_before - 1);
  std::vector<std::string> kept;
  for (std::size_t i = first; i <= last; ++i) kept.emplace_back(lines_.line(text_, i));
  const std::vector<std::string_view> before(kept.begin(), kept.end());

  text_.replace(offset, removed, inserted);
  lines_.replace(text_, offset, removed, inserted.size());
  std::vector<std::string_view> after;
  const std::size_t end = first + before.size() + lines_.line_count() - count_before;
  for (std::size_t i = first; i < end; ++i) after.push_back(lines_.line(text_, i));
  provenance_.replace(before, count_before, after, first);
}

}  // namespace gprof::lsp
