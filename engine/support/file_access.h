// The gate in front of every file that is read: InputFile::open() and read_unsized_file() ask it.
//
// A server that listens confines its process to the folders that it was started for. From then on
// a file is opened only if it is in one of them, no matter who names it: a client, a setting, a
// profile, an executable or its debug information. What is not named by anybody, because this
// process itself made its path, is exempt: see FileUse.
//
// Only regular files are opened: opening a FIFO would wake up its writer, opening a device may act
// on it.
//
// Thread contract: confine_files() is called before other threads start, and the others from any
// thread.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/support/expected.h"
#include "engine/support/folder_bounds.h"

namespace gprof {

// How the path of a file came about.
enum class FileUse : std::uint8_t {
  // Somebody else chose it, or a part of it.
  named,
  // A build-id, or the name of a debug file without folders, below a folder of debug files that
  // the user or the system has set up.
  debug_file,
  // This process's own: caches, and what the command line names.
  own,
};

// Null lifts the restriction, which only tests need.
void confine_files(Bounds folders);
// Null if files are not restricted.
[[nodiscard]] const Bounds& file_confinement();

// Fails with unreadable if the path leads out of the folders. Opens nothing.
[[nodiscard]] Expected<void> check_file_access(const std::filesystem::path& path,
                                               FileUse use = FileUse::named);

// The same for a file that is open: links may have changed since its path was checked.
[[nodiscard]] Expected<void> check_open_file(int descriptor, const std::filesystem::path& path,
                                             FileUse use);

}  // namespace gprof
