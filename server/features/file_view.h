// What a feature reads: one program's snapshot, one source file of it, and the file's text.
//
// Features are pure functions of a view and a range; they do no I/O. Unless a comment says
// otherwise, line numbers start at 1 and are those of the build; text_line() turns them into lines
// of the text as it is now.
// Ownership: a view keeps alive all that it points to. Thread contract: immutable.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/analysis.h"
#include "server/document.h"
#include "server/protocol/features.h"
#include "server/source_paths.h"

namespace gprof::lsp {

// A program as it is shown: replaced whole by every load.
struct LoadedProgram {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const SourcePaths> paths;
};

struct FileView {
  LoadedProgram program;
  std::shared_ptr<const FileCosts> costs;
  std::shared_ptr<const Document> text;
  DocumentUri uri;
  bool changed_since_build = false;
  bool demangle = true;  // the setting: show names as their authors wrote them

  [[nodiscard]] const Snapshot& snapshot() const { return *program.snapshot; }
  [[nodiscard]] const Profile& profile() const { return program.snapshot->profile(); }
  [[nodiscard]] const SourceIndex& sources() const { return program.snapshot->sources(); }

  // Where a line of the build is in the text; none where it was deleted.
  [[nodiscard]] std::optional<LineNumber> text_line(LineNumber build_line) const;
  // Which line of the build a line of the text is; none where it was inserted.
  [[nodiscard]] std::optional<LineNumber> build_line(LineNumber text_line) const;
  // Of any function of the program, as the settings want it.
  [[nodiscard]] std::string name_of(SymbolIndex symbol) const;
  [[nodiscard]] std::string signature_of(const FunctionCost& function) const;
  // Whether what the profile says of a function can be believed to be about the text at its lines:
  // in a file that changed since the build, its name must still stand where it was declared.
  [[nodiscard]] bool is_trusted(const FunctionCost& function) const;
};

// The function's own name in the text, as LSP range: what a lens stands over and a link leads to.
// The start of the line where the name is not there (macros, lambdas). None where the line is gone.
[[nodiscard]] std::optional<Range> name_range(const FileView& view, const FunctionCost& function);
// From the name's line to the last line of the body.
[[nodiscard]] std::optional<Range> body_range(const FileView& view, const FunctionCost& function);

// "scaled [.constprop.0]" -> "scaled"
[[nodiscard]] std::string_view without_clone(std::string_view demangled_name);
// "ns::box<int>::grow" -> "grow"; "~box" and "operator()" keep what is theirs.
[[nodiscard]] std::string_view last_component(std::string_view qualified_name);
// At most the last two components, without template arguments: "box::grow".
[[nodiscard]] std::string short_name(std::string_view qualified_name);

// Byte columns of `word` in a line where it stands as a word of its own; npos where it does not.
[[nodiscard]] std::size_t find_word(std::string_view line, std::string_view word);
// The identifier that holds the byte column, or touches it on the left.
[[nodiscard]] std::string_view word_at(std::string_view line, std::size_t column);

}  // namespace gprof::lsp
