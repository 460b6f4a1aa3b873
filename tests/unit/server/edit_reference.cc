#include "edit_reference.h"

#include <algorithm>
#include <utility>

namespace gprof::lsp {
namespace {

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t") == std::string::npos;
}

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// Code units in a well-formed piece of UTF-8.
std::uint32_t units(const std::string& piece, PositionEncoding encoding) {
  if (encoding == PositionEncoding::utf8) return static_cast<std::uint32_t>(piece.size());
  std::uint32_t count = 0;
  for (const char byte : piece) {
    if (begins_character(byte)) ++count;
    const bool pair = static_cast<unsigned char>(byte) >= 0xF0;
    if (pair && encoding == PositionEncoding::utf16) ++count;
  }
  return count;
}

}  // namespace

ReferenceLines reference_lines(const std::string& text) {
  ReferenceLines lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' && text[i] != '\n') {
      lines.back().text += text[i];
      continue;
    }
    lines.back().end = text[i];
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      lines.back().end = "\r\n";
      ++i;
    }
    lines.emplace_back();
  }
  return lines;
}

EditReference::EditReference(const std::string& text, PositionEncoding encoding)
    : lines_(reference_lines(text)), encoding_(encoding) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    lines_[i].partners.push_back(static_cast<LineNumber>(i + 1));
  }
}

std::string EditReference::text() const {
  std::string text;
  for (const ReferenceLine& line : lines_) text += line.text + line.end;
  return text;
}

std::vector<std::size_t> EditReference::columns(std::size_t line) const {
  const std::string& text = lines_[line].text;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || begins_character(text[i])) result.push_back(i);
  }
  return result;
}

std::size_t EditReference::offset(std::size_t line, std::size_t column) const {
  for (std::size_t i = 0; i < line; ++i) column += lines_[i].text.size() + lines_[i].end.size();
  return column;
}

Position EditReference::position(std::size_t offset) const {
  std::uint32_t number = 0;
  for (const ReferenceLine& line : lines_) {
    if (offset <= line.text.size()) return {number, units(line.text.substr(0, offset), encoding_)};
    offset -= line.text.size() + line.end.size();
    ++number;
  }
  return {number, 0};
}

// Call before changing the lines.
ContentChange EditReference::done(std::size_t from, std::size_t to, std::string inserted) {
  last_ = {from, text().substr(from, to - from), inserted};
  return {Range{position(from), position(to)}, std::move(inserted)};
}

ReferenceLine EditReference::fresh(std::string text, std::string end) const {
  return {std::move(text), std::move(end), std::vector<LineNumber>(lines_[0].partners.size(), 0),
          false, false};
}

void EditReference::merge_line_ends() {
  for (std::size_t i = 0; i + 1 < lines_.size(); ++i) {
    if (lines_[i].end != "\r" || !lines_[i + 1].text.empty() || lines_[i + 1].end != "\n") continue;
    lines_[i].end = "\r\n";
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(i + 1));
  }
}

ContentChange EditReference::insert_above(std::size_t line, const std::vector<std::string>& texts,
                                          const std::string& end) {
  std::string inserted;
  for (const std::string& text : texts) inserted += text + end;
  const std::size_t at = offset(line, 0);
  ContentChange change = done(at, at, inserted);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line + i), fresh(texts[i], end));
  }
  merge_line_ends();
  return change;
}

ContentChange EditReference::insert_below(std::size_t line, const std::vector<std::string>& texts,
                                          const std::string& end) {
  // At an empty line, the two are indistinguishable if the last new line is empty too: what is
  // inserted there moves it down.
  std::string inserted;
  for (const std::string& text : texts) inserted += end + text;
  const std::size_t at = offset(line, lines_[line].text.size());
  ContentChange change = done(at, at, inserted);
  ReferenceLines block{lines_[line]};
  for (const std::string& text : texts) block.push_back(fresh(text, end));
  block.back().end = std::exchange(block.front().end, end);
  if (lines_[line].text.empty() && texts.back().empty()) {
    std::swap(block.front().partners, block.back().partners);
  }
  const auto place = lines_.begin() + static_cast<std::ptrdiff_t>(line);
  lines_.insert(lines_.erase(place), block.begin(), block.end());
  merge_line_ends();
  return change;
}

ContentChange EditReference::erase_lines(std::size_t first, std::size_t behind) {
  ContentChange change = done(offset(first, 0), offset(behind, 0), "");
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(first),
               lines_.begin() + static_cast<std::ptrdiff_t>(behind));
  merge_line_ends();
  return change;
}

ContentChange EditReference::type(std::size_t line, std::size_t from, std::size_t to,
                                  const std::string& text) {
  ContentChange change = done(offset(line, from), offset(line, to), text);
  lines_[line].text.replace(from, to - from, text);
  merge_line_ends();
  return change;
}

ContentChange EditReference::split(std::size_t line, std::size_t column, const std::string& end,
                                   const std::string& indent) {
  ContentChange change = done(offset(line, column), offset(line, column), end + indent);
  ReferenceLine upper = lines_[line];
  ReferenceLine lower = lines_[line];
  upper.text = upper.text.substr(0, column);
  lower.text = indent + lower.text.substr(column);
  upper.end = end;
  const std::string& whole = lines_[line].text;
  const bool moves_down = column == 0 && indent.empty();
  const bool lower_is_it =
      moves_down || (upper.text != whole && (lower.text == whole || is_blank(upper.text)));
  ReferenceLine& kept = lower_is_it ? lower : upper;
  ReferenceLine& other = lower_is_it ? upper : lower;
  kept.touched = kept.touched || kept.text != whole;
  other = fresh(other.text, other.end);
  // Which blanks were there first is ambiguous.
  if (is_blank(whole) && kept.text != whole) kept = fresh(kept.text, kept.end);
  lines_[line] = upper;
  lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(line + 1), lower);
  merge_line_ends();
  return change;
}

ContentChange EditReference::join(std::size_t line, std::size_t indent) {
  const ReferenceLine upper = lines_[line];
  const ReferenceLine lower = lines_[line + 1];
  ContentChange change = done(offset(line, upper.text.size()), offset(line + 1, indent), "");
  const std::string text = upper.text + lower.text.substr(indent);
  const bool lower_stays = upper.text.empty() && indent == 0;
  const bool lower_is_it =
      lower_stays || (text != upper.text && (text == lower.text || is_blank(upper.text)));
  ReferenceLine& kept = lines_[line] = lower_is_it ? lower : upper;
  const bool is_equal = kept.text == text;
  kept.touched = kept.touched || !is_equal;
  kept.text = text;
  kept.end = lower.end;
  if (is_blank(text) && !is_equal) kept = fresh(text, lower.end);
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(line + 1));
  merge_line_ends();
  return change;
}

ContentChange EditReference::replace(std::size_t from, std::size_t to,
                                     const std::string& inserted) {
  ContentChange change = done(from, to, inserted);
  std::string whole = text();
  const std::size_t behind = whole.size() - to;
  whole.replace(from, to - from, inserted);
  ReferenceLines after = reference_lines(whole);
  // Lines that end before the edit and lines that start after it stay the same; a line end that
  // touches it may have become part of another.
  std::size_t ahead = 0;
  std::size_t offset = 0;
  while (ahead < lines_.size() && ahead < after.size()) {
    offset += lines_[ahead].text.size() + lines_[ahead].end.size();
    if (offset >= from || lines_[ahead].end.empty()) break;
    after[ahead] = lines_[ahead];
    ++ahead;
  }
  std::size_t tail = 0;
  for (std::size_t back = 1; back <= lines_.size() - ahead && back <= after.size() - ahead;
       ++back) {
    const ReferenceLine& old = lines_[lines_.size() - back];
    tail += old.text.size() + old.end.size();
    if (tail >= behind) break;
    after[after.size() - back] = old;
  }
  for (ReferenceLine& line : after) {
    if (line.partners.empty()) {
      line = fresh(line.text, line.end);
      line.loose = true;
    }
  }
  lines_ = std::move(after);
  return change;
}

ContentChange EditReference::replace_all(const std::string& whole) {
  last_ = {0, text(), whole};
  ReferenceLines after = reference_lines(whole);
  for (ReferenceLine& line : after) {
    line = fresh(line.text, line.end);
    line.loose = true;
  }
  lines_ = std::move(after);
  return {std::nullopt, whole};
}

ContentChange EditReference::inverse(const ReferenceEdit& edit) const {
  const std::string now = text();
  std::size_t first = edit.offset;
  std::size_t behind = first + edit.inserted.size();
  std::string removed = edit.removed;
  // No position is between a CR and its LF.
  const auto splits = [&](std::size_t at) {
    return at > 0 && at < now.size() && now[at - 1] == '\r' && now[at] == '\n';
  };
  const bool splits_end = splits(behind);
  if (splits(first)) {
    --first;
    removed.insert(removed.begin(), '\r');
  }
  if (splits_end) {
    ++behind;
    removed += '\n';
  }
  return {Range{position(first), position(behind)}, removed};
}

}  // namespace gprof::lsp
