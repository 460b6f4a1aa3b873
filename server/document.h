// An open document at one version: its text, its lines, and where its lines come from.
//
// Ownership: owns its text. Thread contract: immutable once published by the document store; const
// members may be called from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/support/units.h"
#include "server/line_provenance.h"
#include "server/line_table.h"
#include "server/position.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/documents.h"

namespace gprof::lsp {

class Document {
 public:
  Document(std::string text, std::string language_id, std::int32_t version,
           PositionEncoding encoding);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const LineTable& lines() const { return lines_; }
  [[nodiscard]] const std::string& language_id() const { return language_id_; }
  [[nodiscard]] std::int32_t version() const { return version_; }
  [[nodiscard]] PositionEncoding encoding() const { return encoding_; }

  // Line numbers start at 1 in all of these, as in the profile; a Position's start at 0.
  [[nodiscard]] LineNumber line_count() const {
    return static_cast<LineNumber>(lines_.line_count());
  }
  // Without the line's end; empty where there is no such line.
  [[nodiscard]] std::string_view line(LineNumber number) const;
  // The number that the line had when the document was opened; empty for an inserted line.
  [[nodiscard]] std::optional<LineNumber> original_line(LineNumber current) const {
    return provenance_.original_line(current);
  }
  // Where a line of the opened document is now; empty for a deleted line.
  [[nodiscard]] std::optional<LineNumber> current_line(LineNumber original) const {
    return provenance_.current_line(original);
  }
  // The line has an original, and another text than it.
  [[nodiscard]] bool line_changed(LineNumber current) const;
  // The text as it was opened.
  [[nodiscard]] const OriginalText& original() const { return provenance_.original(); }

  // Conversions in the negotiated encoding.
  [[nodiscard]] Position position_of(std::size_t offset) const;
  [[nodiscard]] std::size_t offset_of(Position position) const;
  // The end of the line's text, where line-end annotations go.
  [[nodiscard]] Position end_of_line(LineNumber number) const;

  // The document after one didChange. A range that is upside down is turned over; positions past
  // the end are moved to it.
  [[nodiscard]] std::shared_ptr<const Document> edited(std::span<const ContentChange> changes,
                                                       std::int32_t version) const;

 private:
  Document(const Document&) = default;
  void replace(std::size_t offset, std::size_t removed, std::string_view inserted);

  std::string text_;
  LineTable lines_;
  std::string language_id_;
  std::int32_t version_ = 0;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  LineProvenance provenance_;
};

}  // namespace gprof::lsp
