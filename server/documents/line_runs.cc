#include "server/documents/line_runs.h"

#include <algorithm>
#include <limits>

namespace gprof::lsp {
namespace {

// The first run that ends after the line.
auto run_at(const std::vector<LineRun>& runs, LineNumber LineRun::*side, LineNumber line) {
  return std::partition_point(runs.begin(), runs.end(), [&](const LineRun& run) {
    return run.*side <= line && line - run.*side >= run.count;
  });
}

}  // namespace

LineRuns LineRuns::identity(std::size_t count) {
  LineRuns result;
  if (count > 0) result.runs_.push_back({1, 1, static_cast<LineNumber>(count)});
  return result;
}

std::optional<LineNumber> LineRuns::there(LineNumber here) const {
  const auto run = run_at(runs_, &LineRun::here, here);
  if (run == runs_.end() || run->here > here) return std::nullopt;
  return run->there + (here - run->here);
}

std::optional<LineNumber> LineRuns::here(LineNumber there) const {
  const auto run = run_at(runs_, &LineRun::there, there);
  if (run == runs_.end() || run->there > there) return std::nullopt;
  return run->here + (there - run->there);
}

std::vector<LineNumber> LineRuns::partners(LineNumber here, std::size_t count) const {
  std::vector<LineNumber> result(count, 0);
  const auto end = here + static_cast<LineNumber>(count);
  for (auto run = run_at(runs_, &LineRun::here, here); run != runs_.end() && run->here < end;
       ++run) {
    const LineNumber first = std::max(here, run->here);
    const LineNumber last = std::min(end, run->here + run->count);
    for (LineNumber line = first; line < last; ++line) {
      result[line - here] = run->there + (line - run->here);
    }
  }
  return result;
}

void LineRuns::append(LineRun run) {
  if (run.count == 0) return;
  if (!runs_.empty()) {
    LineRun& last = runs_.back();
    if (last.here + last.count == run.here && last.there + last.count == run.there) {
      last.count += run.count;
      return;
    }
  }
  runs_.push_back(run);
}

void LineRuns::replace(LineNumber here, std::size_t count, std::span<const LineNumber> partners) {
  const auto end = here + static_cast<LineNumber>(count);
  const auto moved_end = here + static_cast<LineNumber>(partners.size());
  LineRuns result;
  result.runs_.reserve(runs_.size() + 2);
  auto run = runs_.begin();
  for (; run != runs_.end() && run->here < here; ++run) {
    result.append({run->here, run->there, std::min(run->count, here - run->here)});
  }
  // The run that the edit's end splits, and what follows it.
  const auto later = run_at(runs_, &LineRun::here, end);
  LineNumber limit = std::numeric_limits<LineNumber>::max();
  if (later != runs_.end()) limit = later->there + (std::max(later->here, end) - later->here);
  LineNumber least =
      result.runs_.empty() ? 1 : result.runs_.back().there + result.runs_.back().count;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] < least || partners[i] >= limit) continue;
    result.append({here + static_cast<LineNumber>(i), partners[i], 1});
    least = partners[i] + 1;
  }
  for (auto rest = later; rest != runs_.end(); ++rest) {
    const LineNumber cut = std::max(rest->here, end) - rest->here;
    result.append({rest->here + cut - end + moved_end, rest->there + cut, rest->count - cut});
  }
  *this = std::move(result);
}

}  // namespace gprof::lsp
