// Figures of answers: no more digits than their errors leave, so that they are short; and what is
// said about all of an answer's figures.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "server/protocol/tool_answers.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

// To the second digit of the error, or to five digits if it is exact.
[[nodiscard]] double rounded(double value, double error);
// Two digits.
[[nodiscard]] double rounded_error(double error);
// One decimal.
[[nodiscard]] double rounded_percent(double share);

// A name from a profile as one line of bounded length, without anything that controls a terminal.
[[nodiscard]] std::string quoted_name(std::string_view name);
// The same of a message, which may be longer.
[[nodiscard]] std::string quoted_text(std::string_view text);
// The same of a line of source text.
[[nodiscard]] std::string quoted_line(std::string_view line);

// Of a program as the question wants it shown.
[[nodiscard]] AnswerScale scale_of(const LoadedProgram& program);
// What to bear in mind about its figures, in sentences.
[[nodiscard]] std::vector<std::string> notes_of(const LoadedProgram& program);

}  // namespace gprof::lsp
