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

std::string padding(std::size_t width, std::size_t used) {
  return std::string(width > used ? width - used : 0, ' ');
}

using Rows = std::vector<std::vector<std::string>>;

template <typename Width>
std::vector<std::size_t> column_widths(const Rows& rows, Width width_of) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width_of(row[i]));
    }
  }
  return widths;
}

std::string plain_table(const Rows& rows) {
  const auto widths = column_widths(rows, display_width);
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space = padding(widths[i], display_width(row[i]));
      text += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    text += '\n';
  }
  return text + '\n';
}

// Of a cell as editors show the source of Markdown: without targets of links and fences of code.
std::size_t concealed_width(std::string_view cell) {
  std::string shown;
  std::size_t fence = 0;  // of the code that is being read
  bool is_in_link = false;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] == '`') {
      const std::size_t end = std::min(cell.find_first_not_of('`', i), cell.size());
      const bool is_fence = fence == 0 || fence == end - i;
      if (is_fence) fence = fence == 0 ? end - i : 0;
      if (!is_fence) shown += cell.substr(i, end - i);
      i = end - 1;
    } else if (fence == 0 && cell[i] == '[' && (i == 0 || cell[i - 1] != '\\')) {
      is_in_link = true;
    } else if (fence == 0 && is_in_link && cell.substr(i).starts_with("](")) {
      is_in_link = false;
      i = std::min(cell.find(')', i), cell.size() - 1);
    } else {
      shown += cell[i];
    }
  }
  return display_width(shown);
}

// The first column's text is at the left, all others' at the right.
std::string markdown_table(const Rows& rows) {
  constexpr std::size_t min_width = 3;  // of the line below the header
  // One name of kilobytes must not make every row as long.
  constexpr std::size_t max_width = 120;
  auto widths = column_widths(rows, concealed_width);
  for (std::size_t& width : widths) width = std::clamp(width, min_width, max_width);
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const std::string space = padding(widths[i], concealed_width(rows[r][i]));
      text += fmt::format("| {} ", i == 0 ? rows[r][i] + space : space + rows[r][i]);
    }
    text += "|\n";
    if (r > 0) continue;
    for (std::size_t i = 0; i < rows[r].size(); ++i) {
      const std::string line(widths[i] + 1, '-');
      text += i == 0 ? "|:" + line : "|" + line + ":";
    }
    text += "|\n";
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
  Rows all = {header};
  all.insert(all.end(), rows.begin(), rows.end());
  if (kind_ == MarkupKind::plaintext) {
    text_ += plain_table(all);
    return;
  }
  for (auto& row : all) {
    for (std::string& cell : row) cell = markdown_cell(cell);
  }
  text_ += markdown_table(all);
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
