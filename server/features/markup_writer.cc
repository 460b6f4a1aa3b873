#include "server/features/markup_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

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

}  // namespace

std::string MarkupWriter::escape(std::string_view text) const {
  if (kind_ == MarkupKind::plaintext) return std::string(text);
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>|#~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void MarkupWriter::heading(std::string_view code) {
  // A fence that no backquote inside can close.
  text_ += kind_ == MarkupKind::markdown ? fmt::format("**`` {} ``**\n\n", code)
                                         : fmt::format("{}\n\n", code);
}

void MarkupWriter::paragraph(std::string_view text) {
  text_ += fmt::format("{}\n\n", escape(text));
}

void MarkupWriter::footnote(std::string_view text) {
  text_ += kind_ == MarkupKind::markdown ? fmt::format("---\n*{}*\n", escape(text))
                                         : fmt::format("{}\n", text);
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
