// Where in its own sources a program crashed, and how that is said.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/crash.h"
#include "engine/source/program_sources.h"

namespace gprof::lsp {

// "SIGSEGV".
[[nodiscard]] std::string signal_name(int signal);

struct CrashPlace {
  std::size_t frame = 0;  // of the crash; those further in are other code's
  SourceLocation location;
};

// The innermost frame in a source of the program; none if it has none, or no debug information.
[[nodiscard]] std::optional<CrashPlace> own_place_of(const Crash& crash,
                                                     const ProgramSources& sources);

// "killed by SIGSEGV here: no access to address 0x10", "killed by SIGSEGV in libc.so.6, called
// here".
[[nodiscard]] std::string text_at(const Crash& crash, const CrashPlace& place);

}  // namespace gprof::lsp
