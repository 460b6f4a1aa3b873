// Applies one didChange: to the text, its lines and their hashes, and the document's origins.
//
// Works in place on a version that is not shared yet. Thread contract: one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "server/documents/align_edit.h"
#include "server/documents/document.h"
#include "server/documents/text_edit.h"

namespace gprof::lsp {

class Document::Editing {
 public:
  explicit Editing(Document& document) : document_(document), hashes_(*document.hashes_) {}

  // Call in the order of the message.
  void apply(const ContentChange& change);
  // Call once, at the end.
  void finish();

 private:
  // Counted from 0: `before` lines became `after` lines.
  struct Lines {
    std::size_t first = 0;
    std::size_t before = 0;
    std::size_t after = 0;
  };
  // The change actually made, and the one that the client sent, which may be larger.
  struct Replacement {
    TextEdit done;   // trimmed, with whole line ends
    TextEdit meant;  // not trimmed if it changes lines: all that it covers was touched
    bool whole_text = false;
  };

  // What the edit did to the lines.
  struct Effect {
    LineAlignment alignment;      // here: the document after it; there: before it
    std::vector<LineSpan> fresh;  // lines that have new text

    [[nodiscard]] std::size_t count_fresh() const;
  };

  [[nodiscard]] TextEdit edit_of(const ContentChange& change) const;
  [[nodiscard]] Lines lines_of(const TextEdit& edit) const;
  [[nodiscard]] TouchedLines kept_of(const TextEdit& edit, const Lines& lines) const;
  void replace(const Replacement& replacement, const TextEdit& exact);
  void make(const TextEdit& edit, Lines& lines);
  [[nodiscard]] Effect effect_of(const TouchedLines& touched, const Lines& lines,
                                 const LineAlignment& alignment) const;
  [[nodiscard]] static Lines without_kept(const Lines& lines, const Lines& done,
                                          const LineAlignment& alignment);
  [[nodiscard]] bool restore(const std::vector<ReversedEdit>& taken, const Lines& lines,
                             const Effect& effect);
  void follow(Origin& origin, const Lines& lines, const Effect& effect);
  void record(const TextEdit& exact, std::string removed, const Lines& lines, const Effect& effect);
  void touch(const Lines& lines);

  Document& document_;
  LineHashes hashes_;
  std::optional<LineSpan> touched_;  // none: nothing changed yet
  bool replaced_most_ = false;
};

}  // namespace gprof::lsp
