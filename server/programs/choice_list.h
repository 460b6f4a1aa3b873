// The programs and profiles that a user can choose between, as a list of titles.
//
// Thread contract: pure, but for the times of the files, which are read from the disk.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/programs/file_age.h"
#include "server/programs/loaded_program.h"
#include "server/programs/program_choices.h"

namespace gprof::lsp {

struct OfferedChoice {
  std::string title;  // each once in a list
  ProgramSelection selection;
};

// As many as a person reads; of each program what is newest. `now`: nanoseconds since the epoch.
[[nodiscard]] std::vector<OfferedChoice> offered_choices(const std::vector<LoadedProgram>& programs,
                                                         FileTime now, std::size_t most = 20);

// What the first program may be compared with: each profile that is not shown, of any program; and,
// where it is compared, the end of that (a choice without an executable).
[[nodiscard]] std::vector<OfferedChoice> offered_bases(const std::vector<LoadedProgram>& programs,
                                                       FileTime now, std::size_t most = 20);

}  // namespace gprof::lsp
