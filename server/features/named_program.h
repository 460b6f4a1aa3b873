// The program that a request is about: by name, or the one that is shown.
//
// Thread contract: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/support/expected.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

// `name` is LoadedProgram::name, the path of the executable, or its file name if that is unique.
// Without a name: the first program, or null if none is loaded. Errors (invalid_argument): no such
// program; the message lists those that are loaded.
[[nodiscard]] Expected<const LoadedProgram*> named_program(
    const std::vector<LoadedProgram>& programs, const std::optional<std::string>& name);
// The same, but never null. Errors: no_profile_data if none is loaded.
[[nodiscard]] Expected<const LoadedProgram*> required_program(
    const std::vector<LoadedProgram>& programs, const std::optional<std::string>& name);

}  // namespace gprof::lsp
