// What a comparison with the base says, in words: short in lenses and hints, where noise is not
// mentioned, and in full in hovers.
//
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/comparison/comparison.h"
#include "server/features/file_view.h"
#include "server/features/line_differences.h"
#include "server/protocol/extension_answers.h"
#include "server/text/markup_writer.h"

namespace gprof::lsp {

// The function's comparison; none without a base, or if the function is not compared.
[[nodiscard]] std::optional<ComparedFunction> comparison_of(const FileView& view,
                                                            const FunctionCost& function);

// Whether a time of the function differs significantly from the base's, or its calls do.
[[nodiscard]] bool differs_from_base(const FileView& view, const FunctionCost& function);

// "self +0.12 s (+30 %) ▲ · 12 calls more"; empty where nothing is significant.
[[nodiscard]] std::string function_difference_text(const FileView& view,
                                                   const FunctionCost& function);
// The difference at the end of a line: "+0.12 s ▲" or "5× more"; "+0.12 s ▲ edited" or "new" if the
// line was edited or added since the base, and "+0.12 s" without a mark if a neighbour of such a
// line may only have taken over its samples (LineDifference::is_spared). Empty if nothing is
// significant and the line is that of the base. With `with_calls`, the difference of the line's
// time with what it calls, if both sides have it.
[[nodiscard]] std::string line_difference_text(const FileView& view, const LineDifference& line,
                                               bool with_calls);

// As sent in messages.
[[nodiscard]] DifferenceData difference_data(const TimeChange& line);
[[nodiscard]] DifferenceData difference_data(const ComparedFunction& function,
                                             const TimeChange& change);

// Tables of base, now, difference and verdict; nothing without a base.
void write_function_difference(MarkupWriter& out, const FileView& view,
                               const FunctionCost& function);
void write_line_difference(MarkupWriter& out, const FileView& view, const LineDifference& line);

// "+0.12 s ± 0.02 s (+30 %)"
[[nodiscard]] std::string difference_with_error(const FunctionCosts& profile,
                                                const TimeChange& change);

}  // namespace gprof::lsp
