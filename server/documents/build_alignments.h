// Aligns documents with the texts that were compiled.
//
// A build is identified by its line hashes. They are the document's own, those of one of its
// origins, or are aligned with an origin's by a diff; from the origin on, its alignment says where
// lines went.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "server/documents/document.h"
#include "server/documents/line_alignment.h"
#include "server/documents/line_hash.h"

namespace gprof::lsp {

// Caches the diffs: one takes milliseconds, and every request needs one. Bounded; a diff is dropped
// when either of its texts is gone. Thread contract: any thread.
class BuildAlignments {
 public:
  // Here: the document; there: the build. Exact if the document itself or an origin has exactly the
  // build's lines; else by a diff with the opened text, or with another origin that has clearly
  // more of them. If `build` is null its text is not known: its line N is taken for line N of the
  // opened text. Pass the same vector for the same build: the cache is keyed by its address.
  [[nodiscard]] LineAlignment of(const std::shared_ptr<const LineHashes>& build,
                                 const Document& document);

 private:
  struct Diff {
    LineAlignment alignment;  // here: the origin; there: the build
    std::size_t equal = 0;    // how many of its lines are equal
  };
  struct Entry {
    std::weak_ptr<const LineHashes> build;
    std::weak_ptr<const LineHashes> origin;
    std::shared_ptr<const Diff> diff;
  };

  [[nodiscard]] static std::shared_ptr<const Diff> compare(const LineHashes& build,
                                                           const LineHashes& origin);
  [[nodiscard]] std::shared_ptr<const Diff> diff(const std::shared_ptr<const LineHashes>& build,
                                                 const std::shared_ptr<const LineHashes>& origin);

  std::mutex mutex_;
  std::deque<Entry> entries_;  // newest first
};

}  // namespace gprof::lsp
