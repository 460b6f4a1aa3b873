// How one didChange is made: the text, its lines and their hashes, and whose lines they are.
//
// Works in place on a version that nobody else has yet. Thread contract: one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "server/documents/document.h"
#include "server/documents/line_heirs.h"
#include "server/documents/text_edit.h"

namespace gprof::lsp {

class Document::Editing {
 public:
  explicit Editing(Document& document) : document_(document), hashes_(*document.hashes_) {}

  // In the order of the message.
  void apply(const ContentChange& change);
  // Once, at the end.
  void finish();

 private:
  // Lines from 0: so many became so many.
  struct Lines {
    std::size_t first = 0;
    std::size_t before = 0;
    std::size_t after = 0;
  };
  // What is done to the text, and what the client said is done: it may say more than is.
  struct Replacement {
    TextEdit done;   // trimmed, with whole line ends
    TextEdit meant;  // not trimmed where it changes lines: what it names was touched
    bool whole_text = false;
  };

  // Whose lines the edit's lines are, and which of them have a text that is new at their place.
  struct Heirs {
    std::vector<std::size_t> of;  // as inherit_lines() says
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
  void inherit(LineProvenance& anchor, const Lines& lines, const Heirs& heirs);
  void record(const TextEdit& exact, std::string removed, const Lines& lines, const Heirs& heirs);
  void touch(const Lines& lines);

  Document& document_;
  LineHashes hashes_;
  std::optional<LineSpan> touched_;  // none: nothing was changed yet
  bool replaced_most_ = false;
};

}  // namespace gprof::lsp
