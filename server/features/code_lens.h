// textDocument/codeLens: one lens per function, which opens its callers, and one for what a line
// has no room for, which lists its functions. Which functions have one: lens_selection.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/features/file_view.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

inline constexpr std::string_view show_callers_command = "gprof.showCallers";
inline constexpr std::string_view show_callees_command = "gprof.showCallees";
inline constexpr std::string_view show_functions_command = "gprof.showFunctions";

// Lenses with their commands, in the order of the lines. `views` are those of the document, the
// displayed one first; the others tell which functions are in other programs too. Pure.
[[nodiscard]] std::vector<CodeLens> code_lenses(std::span<const FileView> views, double threshold);

// The content of the lenses on the lines that the range touches; without a range, all. Ascending by
// line. Pure.
[[nodiscard]] std::vector<FunctionSummary> function_summaries(std::span<const FileView> views,
                                                              const std::optional<Range>& range,
                                                              double threshold);

// Adds the same to hints of the range, which are in the order of their lines, for clients that know
// no lenses: behind a line's own hint, else as a hint at its end.
void add_lens_hints(std::vector<InlayHint>& hints, std::span<const FileView> views,
                    const Range& range, double threshold);

// Their texts take some 100 kB.
inline constexpr std::size_t most_complete_lenses = 200;

// The same for a client that resolves lenses. Up to `most_complete` are complete, with tooltips, as
// VS Code waits for a quarter of a second before it resolves any. More have no commands until they
// are shown. `generation` is that of the programs. Pure.
[[nodiscard]] std::vector<CodeLens> resolvable_code_lenses(
    std::span<const FileView> views, double threshold, std::uint64_t generation,
    std::size_t most_complete = most_complete_lenses);
// The lens with its command. None if its function no longer exists or has no lens. Pure.
[[nodiscard]] std::optional<CodeLens> resolve_code_lens(std::span<const FileView> views,
                                                        const CodeLens& lens, double threshold);

}  // namespace gprof::lsp
