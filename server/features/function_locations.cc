#include "server/features/function_locations.h"

#include <fmt/format.h>

#include "server/features/shown_name.h"

namespace gprof::lsp {

const FileView* FunctionLocations::view(FileId file) {
  const auto known = views_.find(file);
  if (known != views_.end()) return known->second ? &*known->second : nullptr;
  const auto& view = views_.emplace(file, open_view_(file)).first->second;
  return view ? &*view : nullptr;
}

const std::optional<Location>& FunctionLocations::of(SymbolIndex symbol) {
  const auto known = locations_.find(symbol);
  if (known != locations_.end()) return known->second;
  return locations_.emplace(symbol, find(symbol)).first->second;
}

NamedFunction FunctionLocations::named(SymbolIndex symbol, bool demangle) {
  const Snapshot& snapshot = *program_.snapshot;
  NamedFunction function;
  function.linkage_name = std::string(snapshot.symbols()[symbol].name);
  function.name =
      demangle ? shown_name(snapshot.sources(), symbol).signature : function.linkage_name;
  if (const auto& location = of(symbol)) {
    function.uri = location->uri;
    function.range = location->range;
  }
  return function;
}

std::optional<Location> FunctionLocations::find(SymbolIndex symbol) {
  const ProgramSources& sources = program_.snapshot->sources();
  const auto declared = sources.declaration(symbol);
  return declared ? of(sources.name(symbol).name, *declared) : std::nullopt;
}

std::optional<Location> FunctionLocations::of(const std::string& name,
                                              const Declaration& declared) {
  const FileView* view = this->view(declared.file);
  if (view == nullptr) return std::nullopt;
  FunctionCost function;
  function.declaration = declared;
  function.name = name;
  if (!view->is_trusted(function)) return std::nullopt;
  const auto range = name_range(*view, function);
  return range ? std::optional(Location{view->uri, *range}) : std::nullopt;
}

std::optional<Location> FunctionLocations::call(const SourceLocation& location,
                                                SymbolIndex callee) {
  const std::string name = program_.snapshot->sources().name(callee).name;
  return call(location, last_component(name));
}

std::optional<Location> FunctionLocations::call(const SourceLocation& location,
                                                std::string_view word) {
  const FileView* view = this->view(location.file);
  if (view == nullptr) return std::nullopt;
  const auto line = view->text_line(location.line);
  if (!line || *line > view->text->line_count() || !view->is_current(*line)) return std::nullopt;
  const std::string_view text = view->text->line(*line);
  const std::size_t column = find_word(text, word);
  if (column == std::string_view::npos) return this->line(location.file, location.line);
  const std::size_t start = view->text->lines().start(*line - 1) + column;
  return Location{view->uri,
                  {view->text->position_of(start), view->text->position_of(start + word.size())}};
}

std::optional<Location> FunctionLocations::line(FileId file, LineNumber number) {
  const FileView* view = this->view(file);
  if (view == nullptr) return std::nullopt;
  const auto line = view->text_line(number);
  if (!line || *line > view->text->line_count()) return std::nullopt;
  return Location{view->uri, range_of_line(*view, *line)};
}

std::string link_to(const Location& location) {
  return fmt::format("{}#L{}", location.uri, location.range.start.line + 1);
}

}  // namespace gprof::lsp
