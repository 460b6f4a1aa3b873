#include "server/features/file_view.h"

#include <algorithm>

namespace gprof::lsp {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, [&](char x, char y) { return lower(x) == lower(y); });
}

// The end of the identifier or operator at the end of a name that may be followed by a template
// argument list.
std::string_view without_trailing_arguments(std::string_view name) {
  if (!name.ends_with('>') || name.find("operator") != std::string_view::npos) return name;
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == '>') ++depth;
    if (name[i] == '<' && --depth == 0) return name.substr(0, i);
  }
  return name;
}

}  // namespace

std::optional<LineNumber> FileView::text_line(LineNumber build_line) const {
  return text->current_line(build_line);
}

std::optional<LineNumber> FileView::build_line(LineNumber text_line) const {
  return text->original_line(text_line);
}

std::string FileView::name_of(SymbolIndex symbol) const {
  return demangle ? sources().name(symbol).name : std::string(snapshot().symbols()[symbol].name);
}

std::string FileView::signature_of(const FunctionCost& function) const {
  if (!demangle && !function.symbols.empty()) return name_of(function.symbols.front());
  return std::string(without_clone(function.signature));
}

bool FileView::is_trusted(const FunctionCost& function) const {
  if (!changed_since_build) return true;
  const auto line = text_line(function.declaration.line);
  const std::string_view name = last_component(function.name);
  return line && find_word(text->line(*line), name) != std::string_view::npos;
}

std::string_view without_clone(std::string_view name) { return name.substr(0, name.find(" [.")); }

std::string_view last_component(std::string_view name) {
  name = without_trailing_arguments(without_clone(name));
  const std::size_t op = name.rfind("operator");
  if (op != std::string_view::npos && (op == 0 || name[op - 1] == ':')) return name.substr(op);
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    const char c = name[i];
    if (c == '>' || c == ')' || c == '}') ++depth;
    if (c == '<' || c == '(' || c == '{') --depth;
    if (depth == 0 && (c == ':' || c == '.')) return name.substr(i + 1);
  }
  return name;
}

std::string short_name(std::string_view name) {
  name = without_clone(name);
  std::string plain;
  int depth = 0;
  const bool is_operator = name.find("operator") != std::string_view::npos;
  for (const char c : name) {
    if (c == '<' && !is_operator) ++depth;
    if (depth == 0) plain += c;
    if (c == '>' && !is_operator && depth > 0) --depth;
  }
  const std::string_view last = last_component(plain);
  const std::size_t before = plain.size() - last.size();
  if (before < 3) return plain;
  const std::string_view scope = std::string_view(plain).substr(0, before - 2);
  const std::string_view parent = last_component(scope);
  return plain.substr(scope.size() - parent.size());
}

std::size_t find_word(std::string_view line, std::string_view word) {
  if (word.empty()) return std::string_view::npos;
  for (std::size_t at = 0; at + word.size() <= line.size(); ++at) {
    const bool starts = at == 0 || !is_word_character(line[at - 1]) || !is_word_character(word[0]);
    const std::size_t end = at + word.size();
    const bool ends =
        end == line.size() || !is_word_character(line[end]) || !is_word_character(word.back());
    // Fortran and Ada do not tell case apart, and their compilers record lower case.
    if (starts && ends && equal_ignoring_case(line.substr(at, word.size()), word)) return at;
  }
  return std::string_view::npos;
}

std::string_view word_at(std::string_view line, std::size_t column) {
  std::size_t begin = std::min(column, line.size());
  std::size_t end = begin;
  while (begin > 0 && is_word_character(line[begin - 1])) --begin;
  while (end < line.size() && is_word_character(line[end])) ++end;
  return line.substr(begin, end - begin);
}

std::optional<Range> name_range(const FileView& view, const FunctionCost& function) {
  const auto line = view.text_line(function.declaration.line);
  if (!line || *line > view.text->line_count()) return std::nullopt;
  const std::string_view text = view.text->line(*line);
  std::string_view name = last_component(function.name);
  std::size_t column = find_word(text, name);
  if (column == std::string_view::npos) {
    name = {};
    column = text.find_first_not_of(" \t");
    if (column == std::string_view::npos) column = 0;
  }
  const std::size_t start = view.text->lines().start(*line - 1) + column;
  return Range{view.text->position_of(start), view.text->position_of(start + name.size())};
}

std::optional<Range> body_range(const FileView& view, const FunctionCost& function) {
  const auto name = name_range(view, function);
  if (!name) return std::nullopt;
  Range body = *name;
  body.start.character = 0;
  const auto last = view.text_line(std::max(function.last_line, function.declaration.line));
  if (last && *last <= view.text->line_count()) {
    body.end = std::max(body.end, view.text->end_of_line(*last));
  }
  return body;
}

}  // namespace gprof::lsp
