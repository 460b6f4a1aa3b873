// textDocument/codeLens: one lens per function, which opens its callers, and one for what a line
// has no room for, which lists its functions. Which functions have one: lens_selection.h.
#pragma once

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

// The same without commands, which the client resolves when it shows a lens. `generation` is that
// of the programs.
[[nodiscard]] std::vector<CodeLens> unresolved_code_lenses(const FileView& view, double threshold,
                                                           std::uint64_t generation);
// The lens with its command. None if its function no longer exists or has no lens. Pure.
[[nodiscard]] std::optional<CodeLens> resolve_code_lens(std::span<const FileView> views,
                                                        const CodeLens& lens, double threshold);

}  // namespace gprof::lsp
