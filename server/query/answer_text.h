// Answers for people and terminals: members by line, lists as tables.
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "server/protocol/any_value.h"

namespace gprof::lsp {

// Of an answer of a tool. Ends with a line break.
[[nodiscard]] std::string answer_text(const AnyValue& answer);

// A suggestion's words on the command line: "gprof-lsp query function find_next".
[[nodiscard]] std::string command_of(std::string_view tool, const AnyValue& arguments);

}  // namespace gprof::lsp
