#include "server/documents/build_alignments.h"

#include <algorithm>
#include <span>
#include <utility>

#include "server/documents/align_lines.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_diffs = 256;

bool same_object(const std::weak_ptr<const LineHashes>& one,
                 const std::shared_ptr<const LineHashes>& other) {
  return !one.owner_before(other) && !other.owner_before(one);
}

// A tenth more, and more than a few chance matches.
bool clearly_more(std::size_t lines, std::size_t than) { return lines > than + than / 10 + 2; }

}  // namespace

LineAlignment BuildAlignments::of(const std::shared_ptr<const LineHashes>& build,
                                  const Document& document) {
  const std::span<const Origin> origins = document.origins();
  if (!build) return origins.front().alignment();
  if (*build == *document.hashes()) return LineAlignment::identity(build->size());
  for (std::size_t i = origins.size(); i-- > 0;) {
    if (*origins[i].lines() == *build) return origins[i].alignment();
  }
  const Origin* nearest = &origins.front();
  auto best = diff(build, nearest->lines());
  for (const Origin& origin : origins.subspan(1)) {
    if (!clearly_more(build->size(), best->equal)) break;
    auto other = diff(build, origin.lines());
    if (!clearly_more(other->equal, best->equal)) continue;
    nearest = &origin;
    best = std::move(other);
  }
  return nearest->alignment().then(best->alignment);
}

std::shared_ptr<const BuildAlignments::Diff> BuildAlignments::compare(const LineHashes& build,
                                                                      const LineHashes& origin) {
  Diff diff{align_changed_lines(build, origin), 0};
  for (const AlignedLines& lines : diff.alignment.stretches()) {
    for (LineNumber i = 0; i < lines.count; ++i) {
      if (origin[lines.here - 1 + i] == build[lines.there - 1 + i]) ++diff.equal;
    }
  }
  return std::make_shared<const Diff>(std::move(diff));
}

std::shared_ptr<const BuildAlignments::Diff> BuildAlignments::diff(
    const std::shared_ptr<const LineHashes>& build,
    const std::shared_ptr<const LineHashes>& origin) {
  {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (same_object(entry.build, build) && same_object(entry.origin, origin)) return entry.diff;
    }
  }
  // Without the lock: two threads may do the same work, but none waits for another's diff.
  auto made = compare(*build, *origin);
  const std::lock_guard lock(mutex_);
  entries_.push_front({build, origin, made});
  std::erase_if(entries_,
                [](const Entry& entry) { return entry.build.expired() || entry.origin.expired(); });
  if (entries_.size() > most_diffs) entries_.pop_back();
  return made;
}

}  // namespace gprof::lsp
