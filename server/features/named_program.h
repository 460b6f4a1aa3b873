// The program that a request is about: by its name, or the one that is shown.
//
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/support/expected.h"
#include "server/programs/loaded_program.h"

namespace gprof::lsp {

// LoadedProgram::name, the path of the executable, or, where it is the only one of that name, its
// file's name. Without a name: the first program, null where none is loaded. Errors
// (invalid_argument): no such program; the message names those that are loaded.
[[nodiscard]] Expected<const LoadedProgram*> named_program(
    const std::vector<LoadedProgram>& programs, const std::optional<std::string>& name);
// The same where there must be one. Errors: no_profile_data where none is loaded.
[[nodiscard]] Expected<const LoadedProgram*> required_program(
    const std::vector<LoadedProgram>& programs, const std::optional<std::string>& name);

}  // namespace gprof::lsp
