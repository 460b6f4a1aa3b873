// Applies one didChange: to the text, its lines and their hashes, and the lines' origins.
//
// Works in place on a version that is not shared yet. Thread contract: one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "server/documents/document.h"
#include "server/documents/match_edited_lines.h"
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

  // The origins of the edit's lines, and which of them have new text.
  struct Heirs {
    std::vector<std::size_t> of;  // as returned by inherit_lines()
    std::vector<LineSpan> fresh;
  };

  [[nodiscard]] TextEdit edit_of(const ContentChange& change) const;
  [[nodiscard]] Lines lines_of(const TextEdit& edit) const;
  [[nodiscard]] TouchedLines kept_of(const TextEdit& edit, const Lines& lines) const;
  void replace(const Replacement& replacement, const TextEdit& exact);
  void make(const TextEdit& edit, Lines& lines);
  [[nodiscard]] std::vector<std::size_t> inherit_whole(const TouchedLines& touched);
  [[nodiscard]] static Heirs heirs_of(const TouchedLines& touched, const Lines& lines,
                                      std::vector<std::size_t> heirs);
  static std::size_t leave_out_kept(const Lines& done, Lines& lines,
                                    std::vector<std::size_t>& heirs);
  [[nodiscard]] bool restore(const std::vector<RestoredLines>& restored, const Lines& lines,
                             const Heirs& heirs);
  void inherit(LineOrigins& anchor, const Lines& lines, const Heirs& heirs);
  void record(const TextEdit& exact, std::string removed, const Lines& lines, const Heirs& heirs);
  void touch(const Lines& lines);

  Document& document_;
  LineHashes hashes_;
  std::optional<LineSpan> touched_;  // none: nothing changed yet
  bool replaced_most_ = false;
};

}  // namespace gprof::lsp
