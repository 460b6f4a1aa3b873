#include "server/documents/document_editing.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "server/documents/align_edit.h"
#include "server/documents/align_lines.h"

namespace gprof::lsp {
namespace {

bool has_text(std::string_view part) {
  return part.find_first_not_of(" \t\f\v") != std::string_view::npos;
}

std::ptrdiff_t place(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

}  // namespace

void Document::Editing::apply(const ContentChange& change) {
  const std::string& text = document_.text_;
  const TextEdit meant = edit_of(change);
  const TextEdit exact = trimmed(text, meant);
  if (exact.empty()) return;
  Replacement replacement{with_whole_line_ends(text, exact), {}, false};
  if (!replacement.done.breaks_lines(text)) {
    replacement.meant = replacement.done;  // within one line, however much the client sent
  } else {
    replacement.whole_text =
        meant.removed == text.size() && meant.removed > 0 && !meant.inserted.empty();
    replacement.meant = with_whole_line_ends(text, meant);
  }
  replace(replacement, exact);
}

TextEdit Document::Editing::edit_of(const ContentChange& change) const {
  if (!change.range) return {0, document_.text_.size(), change.text};
  const std::size_t one = document_.offset_of(change.range->start);
  const std::size_t other = document_.offset_of(change.range->end);
  return {std::min(one, other), std::max(one, other) - std::min(one, other), change.text};
}

Document::Editing::Lines Document::Editing::lines_of(const TextEdit& edit) const {
  const std::size_t first = document_.lines_.line_at(edit.offset);
  const std::size_t count = document_.lines_.line_at(edit.offset + edit.removed) - first + 1;
  return {first, count, count};
}

// What the edit keeps of its first and last line, judged by the text before it.
TouchedLines Document::Editing::kept_of(const TextEdit& edit, const Lines& lines) const {
  const LineTable& table = document_.lines_;
  const std::size_t last = lines.first + lines.before - 1;
  const std::size_t end = edit.offset + edit.removed;
  const std::string_view first_line = table.line(document_.text_, lines.first);
  const std::string_view last_line = table.line(document_.text_, last);
  TouchedLines kept;
  const std::size_t prefix = edit.offset - table.start(lines.first);
  kept.prefix_was_line = prefix == first_line.size();
  kept.prefix_has_text = has_text(first_line.substr(0, prefix));
  kept.suffix_was_line = end == table.start(last);
  kept.suffix_has_text = has_text(last_line.substr(end - table.start(last)));
  return kept;
}

void Document::Editing::replace(const Replacement& replacement, const TextEdit& exact) {
  const TextEdit& meant = replacement.meant;
  const LineTable& table = document_.lines_;
  Lines lines = lines_of(meant);
  if (replacement.whole_text) lines = {0, table.line_count(), table.line_count()};
  Lines done = lines_of(replacement.done);
  TouchedLines touched = kept_of(meant, lines);
  const std::size_t last = lines.first + lines.before - 1;
  const std::size_t prefix = meant.offset - table.start(lines.first);
  const std::size_t suffix =
      table.start(last) + table.line(document_.text_, last).size() - meant.offset - meant.removed;
  const LineHashes before(hashes_.begin() + place(lines.first), hashes_.begin() + place(last + 1));
  std::string removed = document_.text_.substr(exact.offset, exact.removed);

  make(replacement.done, done);
  lines.after = lines.before + done.after - done.before;
  const std::string& text = document_.text_;
  touched.prefix_is_line = prefix == table.line(text, lines.first).size();
  touched.suffix_is_line = suffix == table.line(text, lines.first + lines.after - 1).size();
  touched.before = before;
  touched.after = std::span(hashes_).subspan(lines.first, lines.after);
  const LineAlignment alignment = replacement.whole_text
                                      ? align_changed_lines(touched.before, touched.after)
                                      : align_edit(touched);
  const Effect effect = effect_of(touched, lines, alignment);
  if (replacement.whole_text && effect.count_fresh() * 2 > lines.after) replaced_most_ = true;
  lines = without_kept(lines, done, alignment);

  const auto taken = document_.history_.take_back({exact.offset, removed, exact.inserted});
  if (taken.empty() || !restore(taken, lines, effect)) {
    record(exact, std::move(removed), lines, effect);
  }
  touch(lines);
}

std::size_t Document::Editing::Effect::count_fresh() const {
  std::size_t count = 0;
  for (const LineSpan& lines : fresh) count += lines.last - lines.first + 1;
  return count;
}

Document::Editing::Effect Document::Editing::effect_of(const TouchedLines& touched,
                                                       const Lines& lines,
                                                       const LineAlignment& alignment) const {
  const auto ahead = static_cast<LineNumber>(lines.first);
  const auto before = static_cast<LineNumber>(lines.before);
  const auto after = static_cast<LineNumber>(lines.after);
  Effect effect;
  effect.alignment.append({1, 1, ahead});
  for (const AlignedLines& same : alignment.stretches()) {
    effect.alignment.append({ahead + same.here, ahead + same.there, same.count});
  }
  const auto rest = static_cast<LineNumber>(hashes_.size()) - ahead - after;
  effect.alignment.append({ahead + after + 1, ahead + before + 1, rest});
  for (LineNumber i = 1; i <= after; ++i) {
    const auto partner = alignment.there(i);
    if (partner && touched.before[*partner - 1] == touched.after[i - 1]) continue;
    if (!effect.fresh.empty() && effect.fresh.back().last + 1 == ahead + i) {
      effect.fresh.back().last = ahead + i;
    } else {
      effect.fresh.push_back({ahead + i, ahead + i});
    }
  }
  return effect;
}

// Excludes unchanged lines at both ends from the edit, although it covers them.
Document::Editing::Lines Document::Editing::without_kept(const Lines& lines, const Lines& done,
                                                         const LineAlignment& alignment) {
  std::size_t kept_before = 0;
  std::size_t kept_after = 0;
  if (!alignment.stretches().empty()) {
    const AlignedLines& first = alignment.stretches().front();
    const AlignedLines& last = alignment.stretches().back();
    const std::size_t most_before = done.first - lines.first;
    const std::size_t most_after = lines.first + lines.after - done.first - done.after;
    if (first.here == 1 && first.there == 1)
      kept_before = std::min<std::size_t>(first.count, most_before);
    if (last.here + last.count == lines.after + 1 && last.there + last.count == lines.before + 1) {
      kept_after = std::min<std::size_t>(last.count, most_after);
    }
  }
  const std::size_t kept = kept_before + kept_after;
  return {lines.first + kept_before, lines.before - kept, lines.after - kept};
}

// Applies the edit to the text, and sets how many lines its lines became.
void Document::Editing::make(const TextEdit& edit, Lines& lines) {
  LineTable& table = document_.lines_;
  const std::size_t count = table.line_count();
  document_.text_.replace(edit.offset, edit.removed, edit.inserted);
  table.replace(document_.text_, edit.offset, edit.removed, edit.inserted.size());
  lines.after = lines.before + table.line_count() - count;
  LineHashes fresh;
  fresh.reserve(lines.after);
  for (std::size_t i = 0; i < lines.after; ++i) {
    fresh.push_back(hash_line(table.line(document_.text_, lines.first + i)));
  }
  // In place for as many lines as both have: typing moves nothing.
  const std::size_t common = std::min(lines.before, lines.after);
  const auto begin = hashes_.begin() + place(lines.first);
  const auto rest = std::copy_n(fresh.begin(), common, begin);
  if (lines.before > common) {
    hashes_.erase(rest, begin + place(lines.before));
  } else {
    hashes_.insert(rest, fresh.begin() + place(common), fresh.end());
  }
}

// Restores the lines' partners in each origin that existed then; later ones follow the edit.
// Returns false, having done nothing, if the remembered lines are not those of the edit.
bool Document::Editing::restore(const std::vector<ReversedEdit>& taken, const Lines& lines,
                                const Effect& effect) {
  std::size_t added = 0;
  std::size_t gone = 0;
  for (const ReversedEdit& edit : taken) {
    added += edit.lines_then;
    gone += edit.lines_now;
  }
  if (lines.before + added != lines.after + gone) {
    document_.history_.clear();
    return false;
  }
  for (Origin& origin : document_.origins_) {
    const bool known = std::all_of(taken.begin(), taken.end(), [&](const ReversedEdit& edit) {
      return edit.partners_in(origin.lines()) != nullptr;
    });
    if (!known) {
      follow(origin, lines, effect);
      continue;
    }
    for (const ReversedEdit& edit : taken) {
      origin.restore(edit.first_line, edit.lines_now, *edit.partners_in(origin.lines()));
    }
  }
  return true;
}

void Document::Editing::follow(Origin& origin, const Lines& lines, const Effect& effect) {
  if (lines.before != lines.after || effect.alignment != LineAlignment::identity(hashes_.size())) {
    origin.follow(effect.alignment);
  }
  const auto first = static_cast<LineNumber>(lines.first + 1);
  const auto partners = origin.alignment().partners(first, lines.after);
  if (std::find(partners.begin(), partners.end(), 0) == partners.end()) return;
  origin.restore_deleted({document_.text_, document_.lines_, hashes_}, effect.fresh);
}

void Document::Editing::record(const TextEdit& exact, std::string removed, const Lines& lines,
                               const Effect& effect) {
  const auto first = static_cast<LineNumber>(lines.first + 1);
  RecordedEdit::Content content{std::move(removed), exact.inserted, lines.before, lines.after, {}};
  for (Origin& origin : document_.origins_) {
    auto before = origin.alignment().partners(first, lines.before);
    follow(origin, lines, effect);
    content.partners.push_back(
        {origin.lines(), std::move(before), origin.alignment().partners(first, lines.after)});
  }
  document_.history_.record(
      {exact.offset, first, std::make_shared<const RecordedEdit::Content>(std::move(content))});
}

void Document::Editing::touch(const Lines& lines) {
  const auto first = static_cast<LineNumber>(lines.first + 1);
  const auto end_before = first + static_cast<LineNumber>(lines.before);
  const auto end = first + static_cast<LineNumber>(lines.after);
  LineSpan touched{first, end - 1};
  if (touched_) {
    touched.first = std::min(first, touched_->first);
    if (touched_->last >= end_before) touched.last = touched_->last - end_before + end;
  }
  touched_ = touched;
}

void Document::Editing::finish() {
  if (!touched_) return;
  document_.hashes_ = std::make_shared<const LineHashes>(std::move(hashes_));
  for (Origin& origin : document_.origins_) {
    // What the history knows of earlier alignments no longer applies.
    if (origin.recognize(*document_.hashes_, *touched_)) document_.history_.clear();
  }
  if (replaced_most_) document_.add_origin();
}

}  // namespace gprof::lsp
