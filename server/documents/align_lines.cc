#include "server/documents/align_lines.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gprof::lsp {
namespace {

using Lines = std::span<const LineHash>;

// Indexes of lines that are the same.
struct LinePair {
  std::size_t a = 0;
  std::size_t b = 0;

  friend bool operator==(const LinePair&, const LinePair&) = default;
};

// Half-open ranges of lines still to be aligned.
struct Region {
  std::size_t a_begin;
  std::size_t a_end;
  std::size_t b_begin;
  std::size_t b_end;

  [[nodiscard]] bool empty() const { return a_begin == a_end || b_begin == b_end; }
  [[nodiscard]] std::size_t cells() const { return (a_end - a_begin) * (b_end - b_begin); }
};

// A table of a quarter of a million numbers is filled in about a millisecond.
constexpr std::size_t most_cells = 250'000;

// Each visits all lines once; two or three suffice except for contrived texts.
constexpr int most_rounds = 32;

void trim(Lines a, Lines b, Region& region, std::vector<LinePair>& pairs) {
  while (!region.empty() && a[region.a_begin] == b[region.b_begin]) {
    pairs.push_back({region.a_begin++, region.b_begin++});
  }
  while (!region.empty() && a[region.a_end - 1] == b[region.b_end - 1]) {
    pairs.push_back({--region.a_end, --region.b_end});
  }
}

// Lines that are unique on both sides, in the order of `a`.
std::vector<LinePair> unique_lines(Lines a, Lines b, const Region& region) {
  struct Occurrences {
    std::size_t in_a = 0;
    std::size_t in_b = 0;
    std::size_t place_in_b = 0;
  };
  std::unordered_map<LineHash, Occurrences> table;
  for (std::size_t i = region.a_begin; i < region.a_end; ++i) ++table[a[i]].in_a;
  for (std::size_t i = region.b_begin; i < region.b_end; ++i) {
    Occurrences& line = table[b[i]];
    ++line.in_b;
    line.place_in_b = i;
  }
  std::vector<LinePair> result;
  for (std::size_t i = region.a_begin; i < region.a_end; ++i) {
    const Occurrences& line = table[a[i]];
    if (line.in_a == 1 && line.in_b == 1) result.push_back({i, line.place_in_b});
  }
  return result;
}

// The longest run of pairs that increases in `b` too (patience sorting).
std::vector<LinePair> longest_increasing(const std::vector<LinePair>& pairs) {
  std::vector<std::size_t> tops;  // index of the last pair of the best run of each length
  std::vector<std::optional<std::size_t>> before(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto place = std::partition_point(
        tops.begin(), tops.end(), [&](std::size_t top) { return pairs[top].b < pairs[i].b; });
    if (place != tops.begin()) before[i] = *std::prev(place);
    if (place == tops.end()) {
      tops.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<LinePair> run;
  if (tops.empty()) return run;
  for (std::optional<std::size_t> i = tops.back(); i; i = before[*i]) run.push_back(pairs[*i]);
  std::reverse(run.begin(), run.end());
  return run;
}

void longest_common(Lines a, Lines b, const Region& region, std::vector<LinePair>& pairs) {
  const std::size_t height = region.a_end - region.a_begin;
  const std::size_t width = region.b_end - region.b_begin;
  // length[i * (width + 1) + j]: of the best alignment of a[i..] with b[j..].
  std::vector<std::uint32_t> length((height + 1) * (width + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return length[i * (width + 1) + j];
  };
  for (std::size_t i = height; i-- > 0;) {
    for (std::size_t j = width; j-- > 0;) {
      at(i, j) = a[region.a_begin + i] == b[region.b_begin + j]
                     ? at(i + 1, j + 1) + 1
                     : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (std::size_t i = 0, j = 0; i < height && j < width;) {
    if (a[region.a_begin + i] == b[region.b_begin + j]) {
      pairs.push_back({region.a_begin + i++, region.b_begin + j++});
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      ++j;
    }
  }
}

Lines::iterator at(Lines lines, std::size_t index) {
  return lines.begin() + static_cast<std::ptrdiff_t>(index);
}

// Next to unpaired lines, a pair is doubtful if one of these equals it and could be the partner.
// Returns whether there was any; the adjacent pairs are then next to unpaired lines.
bool drop_doubtful(Lines a, Lines b, std::vector<LinePair>& pairs) {
  std::vector<bool> doubtful(pairs.size(), false);
  bool any = false;
  const auto end_before = [&](std::size_t i) {
    return i == 0 ? LinePair{} : LinePair{pairs[i - 1].a + 1, pairs[i - 1].b + 1};
  };
  const auto is_gap_before = [&](std::size_t i) {
    const LinePair end = i < pairs.size() ? pairs[i] : LinePair{a.size(), b.size()};
    return end_before(i) != end;
  };
  for (std::size_t i = 0; i <= pairs.size(); ++i) {
    if (!is_gap_before(i)) continue;
    const LinePair begin = end_before(i);
    const LinePair end = i < pairs.size() ? pairs[i] : LinePair{a.size(), b.size()};
    std::unordered_set<LineHash> free(at(a, begin.a), at(a, end.a));
    free.insert(at(b, begin.b), at(b, end.b));
    for (std::size_t j = i; j > 0 && free.contains(a[pairs[j - 1].a]); --j) {
      doubtful[j - 1] = any = true;
      if (is_gap_before(j - 1)) break;
    }
    for (std::size_t j = i; j < pairs.size() && free.contains(a[pairs[j].a]); ++j) {
      doubtful[j] = any = true;
      if (is_gap_before(j + 1)) break;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!doubtful[i]) pairs[kept++] = pairs[i];
  }
  pairs.resize(kept);
  return any;
}

std::vector<LinePair> equal_pairs(Lines a, Lines b) {
  std::vector<LinePair> pairs;
  std::vector<Region> open{{0, a.size(), 0, b.size()}};
  while (!open.empty()) {
    Region region = open.back();
    open.pop_back();
    trim(a, b, region, pairs);
    if (region.empty()) continue;
    const auto unique = longest_increasing(unique_lines(a, b, region));
    if (unique.empty()) {
      if (region.cells() <= most_cells) longest_common(a, b, region, pairs);
      continue;
    }
    for (const LinePair& pair : unique) {
      pairs.push_back(pair);
      open.push_back({region.a_begin, pair.a, region.b_begin, pair.b});
      region.a_begin = pair.a + 1;
      region.b_begin = pair.b + 1;
    }
    open.push_back(region);
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const LinePair& x, const LinePair& y) { return x.a < y.a; });
  return pairs;
}

std::vector<LinePair> sure_pairs(Lines a, Lines b) {
  std::vector<LinePair> pairs = equal_pairs(a, b);
  for (int round = 0; round < most_rounds && drop_doubtful(a, b, pairs); ++round) {
  }
  return pairs;
}

void append(LineAlignment& alignment, LinePair first, std::size_t count) {
  alignment.append({static_cast<LineNumber>(first.b + 1), static_cast<LineNumber>(first.a + 1),
                    static_cast<LineNumber>(count)});
}

LineAlignment alignment_of(const std::vector<LinePair>& pairs) {
  LineAlignment result;
  for (const LinePair& pair : pairs) append(result, pair, 1);
  return result;
}

}  // namespace

LineAlignment align_lines(Lines before, Lines after) {
  return alignment_of(equal_pairs(before, after));
}

LineAlignment align_sure_lines(Lines before, Lines after) {
  return alignment_of(sure_pairs(before, after));
}

LineAlignment align_changed_lines(Lines before, Lines after) {
  const auto sure = sure_pairs(before, after);
  LineAlignment result;
  LinePair begin;
  const auto append_changed = [&](const LinePair& end) {
    const std::size_t count = end.a - begin.a;
    if (count == 0 || count != end.b - begin.b || count > sure.size()) return;
    const Lines old_lines = before.subspan(begin.a, count);
    const Lines new_lines = after.subspan(begin.b, count);
    const std::unordered_set<LineHash> known(old_lines.begin(), old_lines.end());
    const bool moved = std::any_of(new_lines.begin(), new_lines.end(),
                                   [&](LineHash line) { return known.contains(line); });
    if (!moved) append(result, begin, count);
  };
  for (const LinePair& pair : sure) {
    append_changed(pair);
    append(result, pair, 1);
    begin = {pair.a + 1, pair.b + 1};
  }
  append_changed({before.size(), after.size()});
  return result;
}

}  // namespace gprof::lsp
