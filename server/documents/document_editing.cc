#include "server/documents/document_editing.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace gprof::lsp {
namespace {

bool has_text(std::string_view part) {
  return part.find_first_not_of(" \t\f\v") != std::string_view::npos;
}

std::vector<LineNumber> handed_on(const std::vector<LineNumber>& origins,
                                  const std::vector<std::size_t>& heirs) {
  std::vector<LineNumber> result;
  result.reserve(heirs.size());
  for (const std::size_t heir : heirs) result.push_back(heir == no_heir ? 0 : origins[heir]);
  return result;
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
  auto inherited = replacement.whole_text ? inherit_whole(touched) : inherit_lines(touched);
  const std::size_t ahead = leave_out_kept(done, lines, inherited);
  touched.before = touched.before.subspan(ahead, lines.before);
  touched.after = touched.after.subspan(ahead, lines.after);
  const Heirs heirs = heirs_of(touched, lines, std::move(inherited));

  const auto restored = document_.history_.take_back({exact.offset, removed, exact.inserted});
  if (!restored || !restore(*restored, lines, heirs)) {
    record(exact, std::move(removed), lines, heirs);
  }
  touch(lines);
}

std::vector<std::size_t> Document::Editing::inherit_whole(const TouchedLines& touched) {
  auto heirs = inherit_text(touched.before, touched.after);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < heirs.size(); ++i) {
    if (heirs[i] != no_heir && touched.before[heirs[i]] == touched.after[i]) ++kept;
  }
  replaced_most_ = replaced_most_ || kept * 2 < heirs.size();
  return heirs;
}

Document::Editing::Heirs Document::Editing::heirs_of(const TouchedLines& touched,
                                                     const Lines& lines,
                                                     std::vector<std::size_t> heirs) {
  Heirs result;
  for (std::size_t i = 0; i < heirs.size(); ++i) {
    if (heirs[i] != no_heir && touched.before[heirs[i]] == touched.after[i]) continue;
    const auto line = static_cast<LineNumber>(lines.first + 1 + i);
    if (!result.fresh.empty() && result.fresh.back().last + 1 == line) {
      result.fresh.back().last = line;
    } else {
      result.fresh.push_back({line, line});
    }
  }
  result.of = std::move(heirs);
  return result;
}

// Excludes unchanged lines at both ends from the edit, although it covers them. Returns how many
// there were at the start.
std::size_t Document::Editing::leave_out_kept(const Lines& done, Lines& lines,
                                              std::vector<std::size_t>& heirs) {
  const std::size_t most_ahead = done.first - lines.first;
  std::size_t ahead = 0;
  while (ahead < most_ahead && heirs[ahead] == ahead) ++ahead;
  const std::size_t most_behind = lines.first + lines.after - done.first - done.after;
  std::size_t behind = 0;
  while (behind < most_behind && heirs[lines.after - 1 - behind] == lines.before - 1 - behind) {
    ++behind;
  }
  heirs.erase(heirs.end() - place(behind), heirs.end());
  heirs.erase(heirs.begin(), heirs.begin() + place(ahead));
  for (std::size_t& heir : heirs) {
    if (heir != no_heir) heir -= ahead;
  }
  lines = {lines.first + ahead, lines.before - ahead - behind, lines.after - ahead - behind};
  return ahead;
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

// Restores the lines' origins in each anchor that existed then; in later ones they inherit. Returns
// false, having done nothing, if the remembered lines are not those of the edit.
bool Document::Editing::restore(const std::vector<RestoredLines>& restored, const Lines& lines,
                                const Heirs& heirs) {
  std::size_t added = 0;
  std::size_t gone = 0;
  for (const RestoredLines& step : restored) {
    added += step.count_restored;
    gone += step.count;
  }
  if (lines.before + added != lines.after + gone) {
    document_.history_.clear();
    return false;
  }
  for (LineOrigins& anchor : document_.anchors_) {
    const bool known = std::all_of(restored.begin(), restored.end(), [&](const auto& step) {
      return step.of(anchor.original()) != nullptr;
    });
    if (!known) {
      inherit(anchor, lines, heirs);
      continue;
    }
    for (const RestoredLines& step : restored) {
      anchor.replace(step.first, step.count, *step.of(anchor.original()));
    }
  }
  return true;
}

void Document::Editing::inherit(LineOrigins& anchor, const Lines& lines, const Heirs& heirs) {
  const auto first = static_cast<LineNumber>(lines.first + 1);
  const auto before = anchor.runs().partners(first, lines.before);
  const auto after = handed_on(before, heirs.of);
  if (before != after) anchor.replace(first, lines.before, after);
  if (std::find(after.begin(), after.end(), 0) == after.end()) return;
  anchor.restore_deleted({document_.text_, document_.lines_, hashes_}, heirs.fresh);
}

void Document::Editing::record(const TextEdit& exact, std::string removed, const Lines& lines,
                               const Heirs& heirs) {
  RecordedEdit edit;
  edit.offset = exact.offset;
  edit.first_line = static_cast<LineNumber>(lines.first + 1);
  edit.lines_before = lines.before;
  edit.lines_after = lines.after;
  edit.texts =
      std::make_shared<const RecordedTexts>(RecordedTexts{std::move(removed), exact.inserted});
  std::vector<TouchedOrigins> origins;
  for (LineOrigins& anchor : document_.anchors_) {
    TouchedOrigins touched;
    touched.anchor = anchor.original();
    touched.before = anchor.runs().partners(edit.first_line, lines.before);
    inherit(anchor, lines, heirs);
    touched.after = anchor.runs().partners(edit.first_line, lines.after);
    origins.push_back(std::move(touched));
  }
  edit.origins = std::make_shared<const std::vector<TouchedOrigins>>(std::move(origins));
  document_.history_.record(std::move(edit));
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
  for (LineOrigins& anchor : document_.anchors_) {
    // Earlier edits' effects on origins no longer apply.
    if (anchor.recognize_original(*document_.hashes_, *touched_)) document_.history_.clear();
  }
  if (replaced_most_) document_.add_anchor();
}

}  // namespace gprof::lsp
