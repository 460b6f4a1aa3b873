#include "server/text/markup_writer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

// In characters, near enough for aligning columns of plain text.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string padding(std::size_t width, std::string_view text) {
  const std::size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ');
}

std::string plain_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space = padding(widths[i], row[i]);
      text += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    text += '\n';
  }
  return text + '\n';
}

std::size_t longest_run(std::string_view text, char letter) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == letter ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// Whether a reader that auto-links addresses would start or continue one here.
bool is_in_address(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::string_view after = text.substr(at + 1);
  if (text[at] == ':') return after.starts_with("//");
  if (text[at] != '.' || before.size() < 3) return false;
  const std::string_view word = before.substr(before.size() - 3);
  return std::ranges::all_of(word, [](char c) { return c == 'w' || c == 'W'; });
}

std::string escaped_markdown(std::string_view line) {
  constexpr std::string_view marks = "\\`*_{}[]<>|#~&@";
  std::string escaped;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (marks.find(line[i]) != std::string_view::npos || is_in_address(line, i)) escaped += '\\';
    escaped += line[i];
  }
  return escaped;
}

}  // namespace

std::string MarkupWriter::escape(std::string_view text) const {
  const std::string line = on_one_line(text);
  return kind_ == MarkupKind::plaintext ? line : escaped_markdown(line);
}

void MarkupWriter::title(std::string_view text) {
  const std::string_view mark = kind_ == MarkupKind::plaintext ? "" : "**";
  text_ += fmt::format("{0}{1}{0}\n\n", mark, escape(text));
}

// A block, in which nothing but its fence means anything, to any reader.
void MarkupWriter::code_title(std::string_view code, std::string_view language) {
  const std::string line = on_one_line(code);
  if (kind_ == MarkupKind::plaintext) {
    text_ += line + "\n\n";
    return;
  }
  const std::string fence(std::max<std::size_t>(longest_run(line, '`') + 1, 3), '`');
  const bool is_word = std::ranges::all_of(
      language, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '+'; });
  text_ += fmt::format("{0}{1}\n{2}\n{0}\n\n", fence, is_word ? language : "", line);
}

void MarkupWriter::paragraph(std::string_view text) { composed_paragraph(escape(text)); }

void MarkupWriter::composed_paragraph(std::string_view text) {
  // These would begin a list or a heading.
  const bool is_mark = kind_ == MarkupKind::markdown && text.find_first_of("-+=") == 0;
  text_ += fmt::format("{}{}\n\n", is_mark ? "\\" : "", text);
}

void MarkupWriter::footnote(std::string_view text) {
  text_ += kind_ == MarkupKind::markdown ? fmt::format("---\n*{}*\n", escape(text))
                                         : fmt::format("{}\n", escape(text));
}

void MarkupWriter::table(const std::vector<std::string>& header,
                         const std::vector<std::vector<std::string>>& rows) {
  if (kind_ == MarkupKind::plaintext) {
    std::vector<std::vector<std::string>> all = {header};
    all.insert(all.end(), rows.begin(), rows.end());
    text_ += plain_table(all);
    return;
  }
  auto write_row = [this](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) text_ += fmt::format("| {} ", cell);
    text_ += "|\n";
  };
  write_row(header);
  for (std::size_t i = 0; i < header.size(); ++i) text_ += i == 0 ? "|:---" : "|---:";
  text_ += "|\n";
  for (const auto& row : rows) write_row(row);
  text_ += '\n';
}

std::string MarkupWriter::link(std::string_view text, std::string_view target) const {
  if (kind_ == MarkupKind::plaintext || target.empty()) return escape(text);
  return fmt::format("[{}]({})", escape(text), target);
}

std::string MarkupWriter::take() {
  while (text_.ends_with('\n')) text_.pop_back();
  return std::exchange(text_, std::string());
}

}  // namespace gprof::lsp
