// An open document at one version: its text, its lines, and its origins.
//
// Its origins are the earlier texts that a build may have compiled: the opened text, and the newest
// saved ones. Each edit is carried through all of them.
//
// Ownership: owns its text; edits and the lines of origins are shared between versions. Thread
// contract: immutable once published by the document store; const members may be called from any
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/units.h"
#include "server/documents/edit_history.h"
#include "server/documents/line_hash.h"
#include "server/documents/line_table.h"
#include "server/documents/origin.h"
#include "server/documents/position.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/documents.h"

namespace gprof::lsp {

class Document {
 public:
  Document(std::string text, std::string language_id, std::int32_t version,
           PositionEncoding encoding);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const LineTable& lines() const { return lines_; }
  // One per line; shared with origins that have the same text. Never null.
  [[nodiscard]] const std::shared_ptr<const LineHashes>& hashes() const { return hashes_; }
  [[nodiscard]] const std::string& language_id() const { return language_id_; }
  [[nodiscard]] std::int32_t version() const { return version_; }
  [[nodiscard]] PositionEncoding encoding() const { return encoding_; }

  // Line numbers start at 1 here, as in the profile; those of a Position start at 0.
  [[nodiscard]] LineNumber line_count() const {
    return static_cast<LineNumber>(lines_.line_count());
  }
  // Without the line ending; empty if there is no such line.
  [[nodiscard]] std::string_view line(LineNumber number) const;

  // The opened text first, then saved ones, oldest first; no two are equal line by line. At least
  // one, at most four. A replacement of most of the text at once (another branch was checked out)
  // counts as a saved text.
  [[nodiscard]] std::span<const Origin> origins() const { return origins_; }
  // The same document with its present text as one more origin, unless an origin already has it.
  [[nodiscard]] std::shared_ptr<const Document> saved() const;
  // The same text, reopened by a client, with the origins that it had; at least one.
  [[nodiscard]] std::shared_ptr<const Document> reopened(std::vector<Origin> origins) const;

  // Approximate size in bytes, without the undo history, which is bounded.
  [[nodiscard]] std::size_t memory() const;
  // The same for a document yet to be created.
  [[nodiscard]] static std::size_t memory_of(std::string_view text);

  // Conversions in the negotiated encoding.
  [[nodiscard]] Position position_of(std::size_t offset) const;
  [[nodiscard]] std::size_t offset_of(Position position) const;
  // The end of the line's text, where line-end annotations go.
  [[nodiscard]] Position end_of_line(LineNumber number) const;

  // The document after one didChange. A reversed range is swapped; positions past the end are
  // clamped.
  [[nodiscard]] std::shared_ptr<const Document> edited(std::span<const ContentChange> changes,
                                                       std::int32_t version) const;

 private:
  class Editing;

  Document(const Document&) = default;
  // A copy whose text can grow by `room` bytes in place.
  Document(const Document& other, std::size_t room);
  void add_origin();

  std::string text_;
  LineTable lines_;
  std::shared_ptr<const LineHashes> hashes_;
  std::string language_id_;
  std::int32_t version_ = 0;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  std::vector<Origin> origins_;
  EditHistory history_;
};

}  // namespace gprof::lsp
