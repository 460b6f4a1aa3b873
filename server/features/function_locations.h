// Where functions of one program are defined in the present text: the targets of links, spots and
// nodes.
//
// Cheaper than opening whole files with their costs: it only looks up declarations and texts.
// Ownership: holds the function that opens files, and caches results. Thread contract: one thread;
// one object per request.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "server/features/call_hierarchy.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

class FunctionLocations {
 public:
  FunctionLocations(LoadedProgram program, OpenView open_view)
      : program_(std::move(program)), open_view_(std::move(open_view)) {}

  // The name in its definition. None if the definition is not known, or its source is not available
  // or no longer has it.
  [[nodiscard]] const std::optional<Location>& of(SymbolIndex symbol);
  // The same, of a function without a symbol: `name` as its source qualifies it.
  [[nodiscard]] std::optional<Location> of(const std::string& name, const Declaration& declared);
  // With the name as written in the source, or the linkage name.
  [[nodiscard]] NamedFunction named(SymbolIndex symbol, bool demangle);
  // The callee's name in a line of a file of the build, or the line if the name is not on it; none
  // if the line is gone or was changed.
  [[nodiscard]] std::optional<Location> call(const SourceLocation& location, SymbolIndex callee);
  // The same of a function by its name without qualifiers; empty: the line.
  [[nodiscard]] std::optional<Location> call(const SourceLocation& location, std::string_view word);
  // A line of a file of the build as it is now, e.g. of a path that a report names.
  [[nodiscard]] std::optional<Location> line(FileId file, LineNumber line);
  // None if the source is not available.
  [[nodiscard]] const FileView* view(FileId file);

  [[nodiscard]] const LoadedProgram& program() const { return program_; }

 private:
  [[nodiscard]] std::optional<Location> find(SymbolIndex symbol);

  LoadedProgram program_;
  OpenView open_view_;
  std::unordered_map<FileId, std::optional<FileView>> views_;
  std::unordered_map<SymbolIndex, std::optional<Location>> locations_;
};

// "file:///a.c#L12": a link to the line where the location begins.
[[nodiscard]] std::string link_to(const Location& location);

}  // namespace gprof::lsp
