// Maps the compiled lines, as far as they are known, to the present text.
//
// A build is identified by its line hashes. They are one of the document's anchors, or are matched
// to one by a diff; from there on the document's own edits say where lines went.
// Lines start at 1. Ownership: a map shares its data; copies are cheap.
// Thread contract: LineMap is immutable; LineMaps may be used by several threads at once.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/support/units.h"
#include "server/documents/document.h"
#include "server/documents/line_hash.h"
#include "server/documents/line_runs.h"

namespace gprof::lsp {

// How a build's lines became an anchor's.
struct LineLink {
  LineRuns runs;          // here: the anchor's lines; there: the build's
  std::size_t equal = 0;  // how many of the pairs are of equal lines
};

class LineMap {
 public:
  // The build's text is not known: its line N is taken for line N of the opened text.
  [[nodiscard]] static LineMap uncertain(std::shared_ptr<const Document> text);
  // `build`: the compiled lines; must not be null. Exact if the text itself or an anchor has
  // exactly these lines; else by a diff with the opened text, or with another anchor that matches
  // clearly better.
  [[nodiscard]] static LineMap between(std::shared_ptr<const LineHashes> build,
                                       std::shared_ptr<const Document> text);

  // Whether the build's lines are known.
  [[nodiscard]] bool certain() const { return build_ != nullptr; }
  // Where a line of the build is now; none if it was deleted.
  [[nodiscard]] std::optional<LineNumber> text_line(LineNumber build_line) const;
  // The build's line for a line of the text; none if it was inserted.
  [[nodiscard]] std::optional<LineNumber> build_line(LineNumber text_line) const;
  // Whether the line has a line of the build and differs from it.
  [[nodiscard]] bool changed(LineNumber text_line) const;
  // Whether the text differs from the build's (or the opened one, if that is not known) at all.
  // Cost: compares the hashes of all lines.
  [[nodiscard]] bool any_changes() const;

  [[nodiscard]] const std::shared_ptr<const Document>& text() const { return text_; }

 private:
  friend class LineMaps;
  using MakeLink = std::function<std::shared_ptr<const LineLink>(
      const std::shared_ptr<const LineHashes>& build,
      const std::shared_ptr<const LineHashes>& anchor)>;

  static LineMap make(std::shared_ptr<const LineHashes> build, std::shared_ptr<const Document> text,
                      const MakeLink& make_link);
  LineMap(std::shared_ptr<const LineHashes> build, std::shared_ptr<const Document> text,
          std::optional<std::size_t> anchor, std::shared_ptr<const LineLink> link)
      : build_(std::move(build)), text_(std::move(text)), anchor_(anchor), link_(std::move(link)) {}

  [[nodiscard]] const LineHashes& compiled() const;

  std::shared_ptr<const LineHashes> build_;  // null if not known
  std::shared_ptr<const Document> text_;
  std::optional<std::size_t> anchor_;     // the index in anchors(); none: the text itself
  std::shared_ptr<const LineLink> link_;  // null: the anchor has the build's lines
};

// Makes maps, and caches the diffs behind them: a diff takes milliseconds, and every request needs
// one. Bounded; a diff is dropped when either of its texts is gone.
class LineMaps {
 public:
  // As LineMap::between. Pass the same vector for the same build: the cache is keyed by its
  // address.
  [[nodiscard]] LineMap between(std::shared_ptr<const LineHashes> build,
                                std::shared_ptr<const Document> text);

 private:
  struct Entry {
    std::weak_ptr<const LineHashes> build;
    std::weak_ptr<const LineHashes> anchor;
    std::shared_ptr<const LineLink> link;
  };

  [[nodiscard]] std::shared_ptr<const LineLink> link(
      const std::shared_ptr<const LineHashes>& build,
      const std::shared_ptr<const LineHashes>& anchor);

  std::mutex mutex_;
  std::deque<Entry> entries_;  // newest first
};

}  // namespace gprof::lsp
