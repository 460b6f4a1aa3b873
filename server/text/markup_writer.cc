#include "server/text/markup_writer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "server/text/markdown_text.h"
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

// A parenthesis would end the target.
std::string link_target_text(std::string_view target) {
  std::string text;
  for (const char c : target) {
    if (c == '(') {
      text += "%28";
    } else if (c == ')') {
      text += "%29";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string MarkupWriter::escape(std::string_view text) const {
  const std::string line = on_one_line(text);
  return kind_ == MarkupKind::plaintext ? line : markdown_text(line);
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
  const std::string fence = markdown_fence(line, 3);
  const bool is_word = std::ranges::all_of(
      language, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '+'; });
  text_ += fmt::format("{0}{1}\n{2}\n{0}\n\n", fence, is_word ? language : "", line);
}

void MarkupWriter::paragraph(std::string_view text) { composed_paragraph(escape(text)); }

void MarkupWriter::composed_paragraph(std::string_view text) {
  text_ += fmt::format("{}\n\n", text);
}

void MarkupWriter::footnote(std::string_view text) {
  text_ +=
      kind_ == MarkupKind::markdown ? fmt::format("---\n*{}*\n", text) : fmt::format("{}\n", text);
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
    for (const std::string& cell : cells) text_ += fmt::format("| {} ", markdown_cell(cell));
    text_ += "|\n";
  };
  write_row(header);
  for (std::size_t i = 0; i < header.size(); ++i) text_ += i == 0 ? "|:---" : "|---:";
  text_ += "|\n";
  for (const auto& row : rows) write_row(row);
  text_ += '\n';
}

std::string MarkupWriter::link(std::string_view text, std::string_view target) const {
  std::string line = on_one_line(text);
  if (kind_ == MarkupKind::plaintext) return line;
  const std::string name = markdown_name(line);
  return target.empty() ? name : fmt::format("[{}]({})", name, link_target_text(target));
}

std::string MarkupWriter::take() {
  while (text_.ends_with('\n')) text_.pop_back();
  return std::exchange(text_, std::string());
}

}  // namespace gprof::lsp
