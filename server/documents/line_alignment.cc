#include "server/documents/line_alignment.h"

#include <algorithm>
#include <limits>

namespace gprof::lsp {
namespace {

// The first stretch that ends after the line.
auto stretch_at(const std::vector<AlignedLines>& stretches, LineNumber AlignedLines::*side,
                LineNumber line) {
  return std::partition_point(stretches.begin(), stretches.end(), [&](const AlignedLines& lines) {
    return lines.*side <= line && line - lines.*side >= lines.count;
  });
}

}  // namespace

LineAlignment LineAlignment::identity(std::size_t count) {
  LineAlignment result;
  result.append({1, 1, static_cast<LineNumber>(count)});
  return result;
}

std::optional<LineNumber> LineAlignment::there(LineNumber here) const {
  const auto lines = stretch_at(stretches_, &AlignedLines::here, here);
  if (lines == stretches_.end() || lines->here > here) return std::nullopt;
  return lines->there + (here - lines->here);
}

std::optional<LineNumber> LineAlignment::here(LineNumber there) const {
  const auto lines = stretch_at(stretches_, &AlignedLines::there, there);
  if (lines == stretches_.end() || lines->there > there) return std::nullopt;
  return lines->here + (there - lines->there);
}

std::vector<LineNumber> LineAlignment::partners(LineNumber here, std::size_t count) const {
  std::vector<LineNumber> result(count, 0);
  const auto end = here + static_cast<LineNumber>(count);
  for (auto lines = stretch_at(stretches_, &AlignedLines::here, here);
       lines != stretches_.end() && lines->here < end; ++lines) {
    const LineNumber first = std::max(here, lines->here);
    const LineNumber last = std::min(end, lines->here + lines->count);
    for (LineNumber line = first; line < last; ++line) {
      result[line - here] = lines->there + (line - lines->here);
    }
  }
  return result;
}

LineAlignment LineAlignment::then(const LineAlignment& next) const {
  LineAlignment result;
  auto mine = stretches_.begin();
  auto other = next.stretches_.begin();
  while (mine != stretches_.end() && other != next.stretches_.end()) {
    const LineNumber mine_end = mine->there + mine->count;
    const LineNumber other_end = other->here + other->count;
    const LineNumber first = std::max(mine->there, other->here);
    const LineNumber end = std::min(mine_end, other_end);
    if (first < end) {
      result.append(
          {mine->here + (first - mine->there), other->there + (first - other->here), end - first});
    }
    if (mine_end <= other_end) {
      ++mine;
    } else {
      ++other;
    }
  }
  return result;
}

void LineAlignment::append(AlignedLines lines) {
  if (lines.count == 0) return;
  if (!stretches_.empty()) {
    AlignedLines& last = stretches_.back();
    if (last.here + last.count == lines.here && last.there + last.count == lines.there) {
      last.count += lines.count;
      return;
    }
  }
  stretches_.push_back(lines);
}

void LineAlignment::replace(LineNumber here, std::size_t count,
                            std::span<const LineNumber> partners) {
  const auto end = here + static_cast<LineNumber>(count);
  const auto moved_end = here + static_cast<LineNumber>(partners.size());
  LineAlignment result;
  result.stretches_.reserve(stretches_.size() + 2);
  for (const AlignedLines& lines : stretches_) {
    if (lines.here >= here) break;
    result.append({lines.here, lines.there, std::min(lines.count, here - lines.here)});
  }
  // The stretch that the end splits, and what follows it.
  const auto later = stretch_at(stretches_, &AlignedLines::here, end);
  LineNumber limit = std::numeric_limits<LineNumber>::max();
  if (later != stretches_.end()) {
    limit = later->there + (std::max(later->here, end) - later->here);
  }
  LineNumber least = 1;
  if (!result.stretches_.empty()) {
    least = result.stretches_.back().there + result.stretches_.back().count;
  }
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] < least || partners[i] >= limit) continue;
    result.append({here + static_cast<LineNumber>(i), partners[i], 1});
    least = partners[i] + 1;
  }
  for (auto rest = later; rest != stretches_.end(); ++rest) {
    const LineNumber cut = std::max(rest->here, end) - rest->here;
    result.append({rest->here + cut - end + moved_end, rest->there + cut, rest->count - cut});
  }
  *this = std::move(result);
}

}  // namespace gprof::lsp
