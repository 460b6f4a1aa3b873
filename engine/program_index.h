// Programs in files: what one process read of an executable, its symbols and units, is available to
// the next, whatever profiles it shows.
//
// A program's file is valid only for the executable and the debug file that it was made from: each
// must be the same file, with the same size, modification time and change time, which nobody can
// set back. Only programs with undamaged debug information are kept.
//
// Thread contract: any thread. Errors: what cannot be restored is read again; what cannot be kept
// is not.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/program.h"
#include "engine/support/snapshot_file.h"

namespace gprof {

// Identifies a program, in any state, and where its debug information is looked for.
[[nodiscard]] std::string program_key(const ProgramIdentity& program,
                                      const DebugFileSearch& debug_files, bool asks_source);
// Precondition: it has an origin.
[[nodiscard]] std::string program_key(const Program& program);

// Null if the store has none for the current state of the files. Opens the executable, and reads
// its headers.
[[nodiscard]] std::shared_ptr<const Program> restore_program(
    const std::filesystem::path& executable, const DebugFileSearch& debug_files,
    SnapshotFileStore& store);

// Whether its file would be valid now: it was not restored, and its files are unchanged and were
// not written just before they were read, when times do not distinguish versions.
[[nodiscard]] bool may_be_kept(const Program& program);

// Precondition: may_be_kept(). Makes everything that is otherwise made on demand.
void write_program(const Program& program, SnapshotFileWriter& file);

// The debug file that a program was found to have; empty if it has none. How a debug file would be
// found may have changed although none of the known files did.
[[nodiscard]] std::vector<FileVersion> debug_file_of(const Program& program);

}  // namespace gprof
