// The lines that were compiled, as far as they are known, against a text as it is now.
//
// A build is known by its line hashes. They are one of the document's anchors, or they are held
// against one by a diff; from there on the document's own edits say where lines went.
// Lines start at 1. Ownership: a map shares all that it needs; copies are cheap.
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
  // No line of the build is known: its line N is taken for line N of the opened text.
  [[nodiscard]] static LineMap uncertain(std::shared_ptr<const Document> text);
  // `build`: the lines that were compiled, none null. Exact where the text itself or an anchor has
  // these very lines; else by a diff with the opened text, or with another anchor that has clearly
  // more of them.
  [[nodiscard]] static LineMap between(std::shared_ptr<const LineHashes> build,
                                       std::shared_ptr<const Document> text);

  // Whether the build's lines are known.
  [[nodiscard]] bool certain() const { return build_ != nullptr; }
  // Where a line of the build is now; none where it was deleted.
  [[nodiscard]] std::optional<LineNumber> text_line(LineNumber build_line) const;
  // Which line of the build a line is; none where it was inserted.
  [[nodiscard]] std::optional<LineNumber> build_line(LineNumber text_line) const;
  // The line has a line of the build, and another text than it.
  [[nodiscard]] bool changed(LineNumber text_line) const;
  // Whether the text differs from the build's (the opened one where that is not known) at all.
  // Costs a comparison of all lines' hashes.
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

  std::shared_ptr<const LineHashes> build_;  // null where not known
  std::shared_ptr<const Document> text_;
  std::optional<std::size_t> anchor_;     // the index in anchors(); none: the text itself
  std::shared_ptr<const LineLink> link_;  // null: the anchor has the build's lines
};

// Makes maps, and remembers the diffs that they stand on: a diff costs milliseconds, and every
// request asks for it. Bounded; a diff is forgotten when either of its texts is gone.
class LineMaps {
 public:
  // As LineMap::between. Ask with the same vector for the same build: it is known by its identity.
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
  std::deque<Entry> entries_;  // the newest in front
};

}  // namespace gprof::lsp
