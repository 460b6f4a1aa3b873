#include "server/documents/line_map.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/documents/line_alignment.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_links = 256;

std::shared_ptr<const LineLink> make_link(const std::shared_ptr<const LineHashes>& build,
                                          const std::shared_ptr<const LineHashes>& anchor) {
  const auto sure = align_sure_lines(*build, *anchor);
  auto link = std::make_shared<LineLink>();
  link->equal = sure.size();
  for (const LinePair& pair : with_changed_lines(sure, *build, *anchor)) {
    link->runs.append(
        {static_cast<LineNumber>(pair.b + 1), static_cast<LineNumber>(pair.a + 1), 1});
  }
  return link;
}

bool same_object(const std::weak_ptr<const LineHashes>& one,
                 const std::shared_ptr<const LineHashes>& other) {
  return !one.owner_before(other) && !other.owner_before(one);
}

// A tenth more, and more than a few chance matches.
bool clearly_more(std::size_t lines, std::size_t than) { return lines > than + than / 10 + 2; }

}  // namespace

LineMap LineMap::uncertain(std::shared_ptr<const Document> text) {
  return {nullptr, std::move(text), 0, nullptr};
}

LineMap LineMap::between(std::shared_ptr<const LineHashes> build,
                         std::shared_ptr<const Document> text) {
  return make(std::move(build), std::move(text), make_link);
}

LineMap LineMap::make(std::shared_ptr<const LineHashes> build, std::shared_ptr<const Document> text,
                      const MakeLink& make_link) {
  if (*build == *text->hashes()) {
    return {std::move(build), std::move(text), std::nullopt, nullptr};
  }
  const auto anchors = text->anchors();
  for (std::size_t i = anchors.size(); i-- > 0;) {
    if (*anchors[i].original() == *build) return {std::move(build), std::move(text), i, nullptr};
  }
  std::size_t best = 0;
  auto link = make_link(build, anchors[0].original());
  for (std::size_t i = 1; i < anchors.size(); ++i) {
    if (!clearly_more(build->size(), link->equal)) break;
    auto other = make_link(build, anchors[i].original());
    if (!clearly_more(other->equal, link->equal)) continue;
    best = i;
    link = std::move(other);
  }
  return {std::move(build), std::move(text), best, std::move(link)};
}

const LineHashes& LineMap::compiled() const {
  return build_ ? *build_ : *text_->anchors()[*anchor_].original();
}

std::optional<LineNumber> LineMap::text_line(LineNumber build_line) const {
  if (build_line == 0 || build_line > compiled().size()) return std::nullopt;
  if (!anchor_) return build_line;
  const auto line = link_ ? link_->runs.here(build_line) : std::optional(build_line);
  return line ? text_->anchors()[*anchor_].current_line(*line) : std::nullopt;
}

std::optional<LineNumber> LineMap::build_line(LineNumber text_line) const {
  if (text_line == 0 || text_line > text_->line_count()) return std::nullopt;
  if (!anchor_) return text_line;
  const auto line = text_->anchors()[*anchor_].original_line(text_line);
  return line && link_ ? link_->runs.there(*line) : line;
}

bool LineMap::changed(LineNumber text_line) const {
  const auto line = build_line(text_line);
  return line && compiled()[*line - 1] != (*text_->hashes())[text_line - 1];
}

bool LineMap::any_changes() const { return compiled() != *text_->hashes(); }

LineMap LineMaps::between(std::shared_ptr<const LineHashes> build,
                          std::shared_ptr<const Document> text) {
  return LineMap::make(
      std::move(build), std::move(text),
      [this](const std::shared_ptr<const LineHashes>& compiled,
             const std::shared_ptr<const LineHashes>& anchor) { return link(compiled, anchor); });
}

std::shared_ptr<const LineLink> LineMaps::link(const std::shared_ptr<const LineHashes>& build,
                                               const std::shared_ptr<const LineHashes>& anchor) {
  {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (same_object(entry.build, build) && same_object(entry.anchor, anchor)) return entry.link;
    }
  }
  // Without the lock: two threads may do the same work, but none waits for another's diff.
  auto link = make_link(build, anchor);
  const std::lock_guard lock(mutex_);
  entries_.push_front({build, anchor, link});
  const auto dead = std::remove_if(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.build.expired() || entry.anchor.expired();
  });
  entries_.erase(dead, entries_.end());
  if (entries_.size() > most_links) entries_.pop_back();
  return link;
}

}  // namespace gprof::lsp
