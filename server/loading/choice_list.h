// The programs and profiles that a user can choose from, as a list of titles.
//
// Thread contract: pure, except for reading the files' times.
#pragma once

#include <string>
#include <vector>

#include "server/discovery/file_age.h"
#include "server/discovery/program_choices.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

struct OfferedChoice {
  std::string title;  // unique in a list
  ProgramSelection selection;
};

// At most a readable number of them, the newest of each program. `now`: nanoseconds since the
// epoch.
[[nodiscard]] std::vector<OfferedChoice> offered_choices(const std::vector<LoadedProgram>& programs,
                                                         FileTime now);

// What the first program can be compared with: all profiles of any program that are not shown; and,
// if it is being compared, ending that (a choice without an executable).
[[nodiscard]] std::vector<OfferedChoice> offered_bases(const std::vector<LoadedProgram>& programs,
                                                       FileTime now);

}  // namespace gprof::lsp
