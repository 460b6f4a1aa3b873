// What a feature reads: one program's snapshot, one source file of it, and the file's text.
//
// Features are pure functions of a view and a range; they do no I/O. Unless a comment says
// otherwise, line numbers start at 1 and are those of the build; text_line() turns them into lines
// of the text as it is now.
// Ownership: a view keeps everything it refers to alive. Thread contract: immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/documents/build_alignments.h"
#include "server/documents/document.h"
#include "server/documents/line_alignment.h"
#include "server/protocol/features.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

// How the text in the editor relates to the compiled one.
enum class SourceState : std::uint8_t {
  in_step,  // the same, or the differences are known line by line, from edits in this editor
  changed,  // different, matched line by line with what is known about the build's
  stale,    // different, and the build's is unknown: only functions can be found again
};

struct FileView {
  LoadedProgram program;
  std::shared_ptr<const FileCosts> costs;
  std::shared_ptr<const Document> text;
  DocumentUri uri;
  // The compiled lines; null if they are not known: then the file is stale.
  std::shared_ptr<const LineHashes> build_text;
  LineAlignment lines;       // here: the text's; there: the build's
  bool as_compiled = false;  // the text is known to be the compiled one, without any edits
  SourceState source_state = SourceState::stale;
  bool demangle = true;  // the setting: show names as their authors wrote them
  // The setting: the time of inlined code counts at the inlined calls.
  bool inlined_at_calls = false;
  // The same text as a source of the base; null without a base, or if the base has no code from the
  // file.
  std::shared_ptr<const FileView> base;

  // `build_text` may be null; the state and the alignment follow from it.
  FileView(LoadedProgram program, std::shared_ptr<const FileCosts> costs,
           std::shared_ptr<const Document> text, std::shared_ptr<const LineHashes> build_text,
           BuildAlignments& alignments);

  [[nodiscard]] const Snapshot& snapshot() const { return *program.snapshot; }
  [[nodiscard]] const FunctionCosts& profile() const { return program.snapshot->profile(); }
  [[nodiscard]] const ProgramSources& sources() const { return program.snapshot->sources(); }

  // Where a line of the build is in the text; none if it was deleted.
  [[nodiscard]] std::optional<LineNumber> text_line(LineNumber build_line) const {
    return lines.here(build_line);
  }
  // Which line of the build a line of the text is; none if it was inserted.
  [[nodiscard]] std::optional<LineNumber> build_line(LineNumber text_line) const {
    return lines.there(text_line);
  }
  // Whether the line certainly has the compiled text: only such lines show costs.
  [[nodiscard]] bool is_current(LineNumber text_line) const;
  // How many lines of the build have changed or are gone; 0 if they are not known. Counted on first
  // use, linear in the file's lines.
  [[nodiscard]] std::uint32_t lines_changed_since_build() const;
  // The name of any function of the program, formatted by the settings.
  [[nodiscard]] std::string name_of(SymbolIndex symbol) const;
  // A function's own name with its scopes, without template arguments, whatever the setting.
  [[nodiscard]] std::string name_of(const FunctionCost& function) const;
  [[nodiscard]] std::string signature_of(const FunctionCost& function) const;
  // Whether the function's figures can be tied to a place in the text: whether name_range() finds
  // one.
  [[nodiscard]] bool is_trusted(const FunctionCost& function) const;

 private:
  struct ChangedLines {
    std::once_flag once;
    std::uint32_t count = 0;
  };
  std::shared_ptr<ChangedLines> changed_lines_ = std::make_shared<ChangedLines>();
};

// The function's own name in the text, as LSP range: where a lens is shown and a link leads to. It
// is on the line of the declaration. If that line was changed or is gone, it is searched for among
// the changed lines around it; in a stale file, only on the line with that number. If the
// declaration's line is certain but never contained the name (macros, lambdas), its first text.
// None if the function is not found this way.
[[nodiscard]] std::optional<Range> name_range(const FileView& view, const FunctionCost& function);
// From the name's line to the last line of the body.
[[nodiscard]] std::optional<Range> body_range(const FileView& view, const FunctionCost& function);

// A line of the text, from 1, without its indentation.
[[nodiscard]] Range range_of_line(const FileView& view, LineNumber text_line);

// "scaled [.constprop.0]" -> "scaled"
[[nodiscard]] std::string_view without_clone(std::string_view demangled_name);
// "ns::box<int>::grow" -> "grow"; "~box" and "operator()" stay whole.
[[nodiscard]] std::string_view last_component(std::string_view qualified_name);
// At most the last two components, without template arguments: "box::grow".
[[nodiscard]] std::string short_name(std::string_view qualified_name);

// Byte column of `word` in a line as a whole word; npos if there is none.
[[nodiscard]] std::size_t find_word(std::string_view line, std::string_view word);
// The identifier that contains the byte column or ends at it.
[[nodiscard]] std::string_view word_at(std::string_view line, std::size_t column);

}  // namespace gprof::lsp
