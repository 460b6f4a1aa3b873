#include "server/features/file_view.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "engine/object/demangle.h"
#include "server/features/shown_name.h"
#include "server/text/source_names.h"

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
    if (name[i] != '<' || --depth > 0) continue;
    name = name.substr(0, i);
    // Rust writes "f::<T>".
    return name.ends_with("::") ? name.substr(0, i - 2) : name;
  }
  return name;
}

// The last line is empty if the text ends with a line ending. Some editors add one.
std::span<const LineHash> without_last_if_empty(const LineHashes& lines) {
  const bool empty = !lines.empty() && lines.back() == hash_line({});
  return {lines.data(), lines.size() - (empty ? 1 : 0)};
}

bool same_lines(const LineHashes& a, const LineHashes& b) {
  return std::ranges::equal(without_last_if_empty(a), without_last_if_empty(b));
}

SourceState state_of(const LineHashes* build, const Document& text, bool as_compiled) {
  if (build == nullptr) return SourceState::stale;
  if (as_compiled) return SourceState::in_step;
  const bool from_here = std::ranges::any_of(
      text.origins(), [&](const Origin& origin) { return same_lines(*build, *origin.lines()); });
  return from_here ? SourceState::in_step : SourceState::changed;
}

// A part of a line of the text.
struct TextSpan {
  LineNumber line = 0;
  std::size_t column = 0;  // in bytes
  std::size_t size = 0;
};

// Lines of the text, both ends included; empty if first > last.
struct TextLines {
  LineNumber first = 0;
  LineNumber last = 0;
};

// Limit on the search for a function's name: more lines with none in common with the build are a
// different text.
constexpr LineNumber widest_gap = 1000;

// The lines of the text between the nearest lines before and after that are still the build's. None
// if these are too far apart.
std::optional<TextLines> changed_lines_around(const FileView& view, LineNumber build_line) {
  const auto in_text = [&](LineNumber line) -> std::optional<LineNumber> {
    const auto now = view.text_line(line);
    return now && view.is_current(*now) ? now : std::nullopt;
  };
  const auto build_lines = static_cast<LineNumber>(view.build_text->size());
  const LineNumber lowest = build_line > widest_gap ? build_line - widest_gap : 0;
  const LineNumber highest = build_lines - std::min(build_lines, build_line) > widest_gap
                                 ? build_line + widest_gap
                                 : build_lines + 1;
  TextLines found = {1, view.text->line_count()};
  LineNumber line = build_line;
  while (--line > lowest) {
    if (const auto now = in_text(line)) {
      found.first = *now + 1;
      break;
    }
  }
  if (line == lowest && lowest != 0) return std::nullopt;
  for (line = build_line + 1; line < highest; ++line) {
    if (const auto now = in_text(line)) {
      found.last = *now - 1;
      break;
    }
  }
  if (line == highest && highest <= build_lines) return std::nullopt;
  if (found.last >= found.first && found.last - found.first > widest_gap) return std::nullopt;
  return found;
}

// Whether a parameter list could follow, which distinguishes a declaration from a mention.
bool is_followed_by_parenthesis(std::string_view line, std::size_t offset) {
  offset = line.find_first_not_of(" \t", offset);
  return offset != std::string_view::npos && line[offset] == '(';
}

// A statement or a prototype; a definition continues, or ends with its body.
bool ends_with_semicolon(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t");
  return last != std::string_view::npos && line[last] == ';';
}

// The only line of a definition that has the name with a parenthesis, else the only one that has
// the name. None if ambiguous.
std::optional<TextSpan> find_among(const FileView& view, TextLines lines, std::string_view name) {
  std::vector<TextSpan> named;
  std::vector<TextSpan> declared;
  for (LineNumber line = lines.first; line <= lines.last; ++line) {
    const std::string_view text = view.text->line(line);
    const std::size_t column = find_word(text, name);
    if (column == std::string_view::npos || ends_with_semicolon(text)) continue;
    named.push_back({line, column, name.size()});
    if (is_followed_by_parenthesis(text, column + name.size())) declared.push_back(named.back());
  }
  const auto& candidates = declared.empty() ? named : declared;
  return candidates.size() == 1 ? std::optional(candidates.front()) : std::nullopt;
}

std::optional<TextSpan> find_name(const FileView& view, const FunctionCost& function) {
  const std::string_view name = last_component(function.name);
  const auto line = view.text_line(function.declaration.line);
  if (line && *line <= view.text->line_count()) {
    const std::string_view text = view.text->line(*line);
    const std::size_t column = find_word(text, name);
    if (column != std::string_view::npos) return TextSpan{*line, column, name.size()};
    if (view.is_current(*line)) {
      const std::size_t first = text.find_first_not_of(" \t");
      return TextSpan{*line, first == std::string_view::npos ? 0 : first, 0};
    }
  }
  const bool known = view.build_text && function.declaration.line != 0 &&
                     function.declaration.line <= view.build_text->size();
  if (!known || name.empty()) return std::nullopt;
  const auto lines = changed_lines_around(view, function.declaration.line);
  return lines ? find_among(view, *lines, name) : std::nullopt;
}

// Where the name of an operator begins; npos if it is not one.
std::size_t operator_in(std::string_view name) {
  const std::size_t place = name.rfind("operator");
  const bool is_operator =
      place == 0 || (place != std::string_view::npos && name[place - 1] == ':');
  return is_operator ? place : std::string_view::npos;
}

}  // namespace

FileView::FileView(LoadedProgram shown_program, std::shared_ptr<const FileCosts> file_costs,
                   std::shared_ptr<const Document> document,
                   std::shared_ptr<const LineHashes> compiled, BuildAlignments& alignments)
    : program(std::move(shown_program)),
      costs(std::move(file_costs)),
      text(std::move(document)),
      build_text(std::move(compiled)),
      lines(alignments.of(build_text, *text)),
      as_compiled(build_text && same_lines(*build_text, *text->hashes())),
      source_state(state_of(build_text.get(), *text, as_compiled)) {}

bool FileView::is_current(LineNumber line) const {
  const auto compiled = build_line(line);
  return build_text && compiled && (*build_text)[*compiled - 1] == (*text->hashes())[line - 1];
}

std::uint32_t FileView::lines_changed_since_build() const {
  if (!build_text) return 0;
  std::call_once(changed_lines_->once, [this] {
    for (LineNumber line = 1; line <= build_text->size(); ++line) {
      const auto now = text_line(line);
      if (!now || !is_current(*now)) ++changed_lines_->count;
    }
  });
  return changed_lines_->count;
}

std::string FileView::name_of(SymbolIndex symbol) const {
  return demangle ? shown_name(sources(), symbol).name
                  : std::string(snapshot().symbols()[symbol].name);
}

std::string FileView::signature_of(const FunctionCost& function) const {
  if (!demangle && !function.symbols.empty()) return name_of(function.symbols.front());
  return as_written(without_clone(function.signature));
}

std::string FileView::name_of(const FunctionCost& function) const {
  return shown_name(sources(), function);
}

bool FileView::is_trusted(const FunctionCost& function) const {
  return find_name(*this, function).has_value();
}

Range range_of_line(const FileView& view, LineNumber text_line) {
  const std::string_view text = view.text->line(text_line);
  const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t start = view.text->lines().start(text_line - 1) + indent;
  return {view.text->position_of(start), view.text->end_of_line(text_line)};
}

std::string_view without_clone(std::string_view name) { return name.substr(0, name.find(" [.")); }

std::string_view last_component(std::string_view name) {
  name = without_trailing_arguments(without_clone(name));
  const std::size_t op = operator_in(name);
  if (op != std::string_view::npos) return name.substr(op);
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    const char c = name[i];
    if (c == '>' || c == ')' || c == '}') ++depth;
    if (c == '<' || c == '(' || c == '{') --depth;
    if (depth == 0 && (c == ':' || c == '.')) return name.substr(i + 1);
  }
  return name;
}

std::string short_name(std::string_view qualified_name) {
  const std::string of_type = without_trait(without_clone(qualified_name));
  std::string_view name = of_type;
  std::string plain;
  int depth = 0;
  // In operator< and similar the brackets are part of the name.
  const std::string_view qualifier = name.substr(0, operator_in(name));
  for (const char c : qualifier) {
    if (c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == '>' && depth > 0) --depth;
  }
  plain += name.substr(qualifier.size());
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
    // Fortran and Ada ignore case, and their compilers record lower case.
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
  const auto place = find_name(view, function);
  if (!place) return std::nullopt;
  const std::size_t start = view.text->lines().start(place->line - 1) + place->column;
  return Range{view.text->position_of(start), view.text->position_of(start + place->size)};
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
