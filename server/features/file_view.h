// What a feature reads: one program's snapshot, one source file of it, and the file's text.
//
// Features are pure functions of a view and a range; they do no I/O. Unless a comment says
// otherwise, line numbers start at 1 and are those of the build; text_line() turns them into lines
// of the text as it is now.
// Ownership: a view keeps alive all that it points to. Thread contract: immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "server/documents/document.h"
#include "server/documents/line_map.h"
#include "server/programs/loaded_program.h"
#include "server/protocol/features.h"

namespace gprof::lsp {

// How the text that the editor shows stands to the one that was compiled.
enum class SourceState : std::uint8_t {
  in_step,  // the same, or the differences are known line by line, from edits in this editor
  changed,  // another one, matched line by line with what is known of the build's
  stale,    // another one, and nothing is known of the build's: only functions can be found again
};

struct FileView {
  LoadedProgram program;
  std::shared_ptr<const FileCosts> costs;
  std::shared_ptr<const Document> text;
  DocumentUri uri;
  // The lines that were compiled; null where they are not known: then the file is stale.
  std::shared_ptr<const LineHashes> build_text;
  LineMap lines;  // from build_text to text
  SourceState source_state = SourceState::stale;
  bool demangle = true;  // the setting: show names as their authors wrote them
  // The setting: the time of inlined code counts at the calls that were inlined.
  bool inlined_at_calls = false;
  // The same text as the source of the base that the program is compared with; null without one,
  // and where the base has no code of the file.
  std::shared_ptr<const FileView> base;

  // `build_text` may be null; the state and the map follow from it.
  FileView(LoadedProgram program, std::shared_ptr<const FileCosts> costs,
           std::shared_ptr<const Document> text, std::shared_ptr<const LineHashes> build_text,
           LineMaps& line_maps);

  [[nodiscard]] const Snapshot& snapshot() const { return *program.snapshot; }
  [[nodiscard]] const Profile& profile() const { return program.snapshot->profile(); }
  [[nodiscard]] const SourceIndex& sources() const { return program.snapshot->sources(); }

  // Where a line of the build is in the text; none where it was deleted.
  [[nodiscard]] std::optional<LineNumber> text_line(LineNumber build_line) const {
    return lines.text_line(build_line);
  }
  // Which line of the build a line of the text is; none where it was inserted.
  [[nodiscard]] std::optional<LineNumber> build_line(LineNumber text_line) const {
    return lines.build_line(text_line);
  }
  // Whether the line has, for certain, the text that was compiled: only such lines show costs.
  [[nodiscard]] bool is_current(LineNumber text_line) const;
  // How many lines of the build have another text now, or are gone; 0 where they are not known.
  // Counted when it is first asked for: costs as much as the file has lines.
  [[nodiscard]] std::uint32_t lines_changed_since_build() const;
  // Of any function of the program, as the settings want it.
  [[nodiscard]] std::string name_of(SymbolIndex symbol) const;
  [[nodiscard]] std::string signature_of(const FunctionCost& function) const;
  // Whether what the profile says of a function can be believed to be about a place in the text:
  // whether name_range() finds one.
  [[nodiscard]] bool is_trusted(const FunctionCost& function) const;

 private:
  struct ChangedLines {
    std::once_flag once;
    std::uint32_t count = 0;
  };
  std::shared_ptr<ChangedLines> changed_lines_ = std::make_shared<ChangedLines>();
};

// The function's own name in the text, as LSP range: what a lens stands over and a link leads to.
// It stands on the line of its declaration. Where that line was changed or is gone, it is looked
// for among the changed lines around it; in a stale file, on the line of that number alone. A line
// that is certainly the declaration's and never held the name (macros, lambdas) gives its first
// text. None where the function is not found so.
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
