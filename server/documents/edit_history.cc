#include "server/documents/edit_history.h"

#include <algorithm>
#include <utility>

#include "server/documents/text_edit.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_steps = 256;
constexpr std::size_t most_bytes = std::size_t{1} << 20;
// Edits that grew together beyond this are undone one by one or not at all.
constexpr std::size_t longest_growth = std::size_t{1} << 16;

std::size_t bytes_of(const RecordedEdit::Content& edit) {
  std::size_t bytes = edit.removed.size() + edit.inserted.size();
  for (const TouchedPartners& lines : edit.partners) {
    bytes += (lines.before.size() + lines.after.size()) * sizeof(LineNumber);
  }
  return bytes;
}

std::size_t shifted(std::size_t place, std::size_t added, std::size_t removed) {
  return place + added - removed;
}

}  // namespace

ReversedEdit::ReversedEdit(const RecordedEdit& edit, bool is_undone)
    : offset(edit.offset),
      first_line(edit.first_line),
      now(is_undone ? edit.content->inserted : edit.content->removed),
      then(is_undone ? edit.content->removed : edit.content->inserted),
      lines_now(is_undone ? edit.content->lines_after : edit.content->lines_before),
      lines_then(is_undone ? edit.content->lines_before : edit.content->lines_after),
      content(edit.content),
      undone(is_undone) {}

const std::vector<LineNumber>* ReversedEdit::partners_in(
    const std::shared_ptr<const LineHashes>& origin) const {
  for (const TouchedPartners& lines : content->partners) {
    if (lines.origin.owner_before(origin) || origin.owner_before(lines.origin)) continue;
    return undone ? &lines.before : &lines.after;
  }
  return nullptr;
}

std::vector<ReversedEdit> EditHistory::take_back(const Edit& edit) {
  auto taken = take(made_.size(), true, edit);
  if (taken.empty()) taken = take(taken_.size(), false, edit);
  // Editors whose undo cannot itself be undone skip steps that cancelled out.
  std::size_t end = made_.size();
  while (taken.empty() && end > 0 && made_[end - 1].detour > 0 && made_[end - 1].detour <= end) {
    end -= made_[end - 1].detour;
    taken = take(end, true, edit);
  }
  return taken;
}

// Uses the steps before `end`; if the edit reverses any, those from `end` on are dropped.
std::vector<ReversedEdit> EditHistory::take(std::size_t end, bool reverse, const Edit& edit) {
  Steps& from = reverse ? made_ : taken_;
  Steps& to = reverse ? taken_ : made_;
  const auto steps = std::span<const Step>(from).first(end);
  std::vector<ReversedEdit> taken;
  std::size_t count = count_grown_together(steps, reverse, edit);
  const auto apart = count == 0 ? find_apart(steps, reverse, edit) : std::nullopt;
  if (count == 0 && !apart) return taken;
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(end), from.end());
  if (apart) {
    move(from, to, *apart, reverse);
    taken.push_back(reversed(to.back(), reverse));
  }
  for (; count > 0; --count) {
    to.push_back(std::move(from.back()));
    from.pop_back();
    taken.push_back(reversed(to.back(), reverse));
  }
  return taken;
}

// How many of the newest steps the edit reverses at once: their replaced texts, each touching or
// containing the next, are treated as one replacement.
std::size_t EditHistory::count_grown_together(std::span<const Step> steps, bool reverse,
                                              const Edit& edit) {
  std::size_t begin = 0;
  std::string now;
  std::string then;
  for (std::size_t count = 1; count <= steps.size(); ++count) {
    const ReversedEdit step = reversed(steps[steps.size() - count], reverse);
    if (count == 1) {
      begin = step.offset;
      now = step.now;
      then = step.then;
    } else {
      // `then` is the text before the newer steps; this step left `step.now` in or next to it.
      const std::size_t end = begin + then.size();
      const std::size_t step_end = step.offset + step.now.size();
      if (step.offset > end || step_end < begin) return 0;
      const std::size_t left = begin > step.offset ? begin - step.offset : 0;
      const std::size_t right = step_end > end ? step_end - end : 0;
      now.insert(0, step.now.substr(0, left));
      now += step.now.substr(step.now.size() - right);
      then.insert(0, step.now.substr(0, left));
      then += step.now.substr(step.now.size() - right);
      begin -= left;
      then.replace(step.offset - begin, step.now.size(), step.then);
      if (now.size() + then.size() > longest_growth) return 0;
    }
    if (then.size() + edit.removed.size() != now.size() + edit.inserted.size()) continue;
    const TextEdit whole = trimmed(now, {0, now.size(), then});
    if (begin + whole.offset == edit.offset && whole.inserted == edit.inserted &&
        std::string_view(now).substr(whole.offset, whole.removed) == edit.removed) {
      return count;
    }
  }
  return 0;
}

// The steps after `index` that have an effect.
std::vector<std::size_t> EditHistory::steps_above(std::span<const Step> steps, std::size_t index) {
  std::vector<std::size_t> above;
  for (std::size_t end = steps.size(); end > index + 1;) {
    const std::size_t detour = steps[end - 1].detour;
    if (detour > 0 && detour < end - index) {
      end -= detour;
    } else {
      above.push_back(--end);
    }
  }
  std::reverse(above.begin(), above.end());
  return above;
}

// A step that the edit reverses, with the newer ones at other lines.
std::optional<std::size_t> EditHistory::find_apart(std::span<const Step> steps, bool reverse,
                                                   const Edit& edit) {
  for (std::size_t index = steps.size(); index-- > 0;) {
    ReversedEdit step = reversed(steps[index], reverse);
    if (step.now != edit.removed || step.then != edit.inserted) continue;
    bool apart = true;
    for (const std::size_t i : steps_above(steps, index)) {
      const ReversedEdit newer = reversed(steps[i], reverse);
      if (newer.is_before_lines_of(step)) {
        step.offset = shifted(step.offset, newer.now.size(), newer.then.size());
        step.first_line =
            static_cast<LineNumber>(shifted(step.first_line, newer.lines_now, newer.lines_then));
      } else if (!newer.is_after_lines_of(step)) {
        apart = false;
        break;
      }
    }
    if (apart && step.offset == edit.offset) return index;
  }
  return std::nullopt;
}

// Removes the step from among newer ones at other lines, as if it had been the newest. Newer ones
// that cancelled out may be at its lines; they are dropped.
void EditHistory::move(Steps& from, Steps& to, std::size_t index, bool reverse) {
  Step moved = from[index];
  moved.detour = 0;
  Steps newer_steps;
  for (const std::size_t i : steps_above(from, index)) newer_steps.push_back(std::move(from[i]));
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(index), from.end());
  for (Step& newer_step : newer_steps) {
    newer_step.detour = 0;  // a partial detour is none
    const ReversedEdit step = reversed(moved, reverse);
    const ReversedEdit newer = reversed(newer_step, reverse);
    if (newer.is_before_lines_of(step)) {
      moved.edit.offset = shifted(step.offset, newer.now.size(), newer.then.size());
      moved.edit.first_line =
          static_cast<LineNumber>(shifted(step.first_line, newer.lines_now, newer.lines_then));
    } else {
      newer_step.edit.offset = shifted(newer.offset, step.then.size(), step.now.size());
      newer_step.edit.first_line =
          static_cast<LineNumber>(shifted(newer.first_line, step.lines_then, step.lines_now));
    }
    from.push_back(std::move(newer_step));
  }
  to.push_back(std::move(moved));
}

void EditHistory::record(RecordedEdit edit) {
  // Undone steps stay reachable, as in editors whose undo can itself be undone: they count as
  // redone and then reversed.
  for (std::size_t i = taken_.size(); i-- > 0;) made_.push_back(taken_[i]);
  for (Step& step : taken_) made_.push_back({std::move(step.edit), !step.backwards, 0});
  if (!taken_.empty()) made_.back().detour = 2 * taken_.size();
  taken_.clear();
  made_.push_back({std::move(edit), false, 0});
  keep_bounds();
}

void EditHistory::clear() {
  made_.clear();
  taken_.clear();
}

// Only after record(): nothing is undone then, and the oldest steps are dropped first.
void EditHistory::keep_bounds() {
  std::size_t bytes = 0;
  std::size_t kept = 0;
  while (kept < made_.size() && kept < most_steps) {
    bytes += bytes_of(*made_[made_.size() - 1 - kept].edit.content);
    if (bytes > most_bytes) break;
    ++kept;
  }
  made_.erase(made_.begin(), made_.end() - static_cast<std::ptrdiff_t>(kept));
}

}  // namespace gprof::lsp
