// The directory that profiles are written to, and messages on standard error.
//
// Thread contract: one thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/support/expected.h"

namespace gprof::lsp {

// Held while profiles in a directory are named, as the collector does, so that no two processes
// take the same name. Waits a few seconds at most, and goes on without the lock if the file system
// does not support locks.
//
// Ownership: owns the descriptor; closing it releases the lock.
class NamesLock {
 public:
  // Empty: the current directory.
  explicit NamesLock(const std::filesystem::path& directory);
  ~NamesLock();
  NamesLock(const NamesLock&) = delete;
  NamesLock& operator=(const NamesLock&) = delete;

 private:
  int descriptor_ = -1;
};

// Creates the directory and its parents if missing, and checks that files can be created in it.
// Returns its absolute path. Empty: the current one. Errors: unreadable.
[[nodiscard]] Expected<std::filesystem::path> prepare_directory(const std::filesystem::path& path);

// Prints one line "gprof-lsp: MESSAGE" on standard error, whatever file names in it contain.
void tell(std::string_view message);

// Opens /dev/null in place of closed standard streams, for this program only: else the next file
// opened would receive the stream's output.
void occupy_standard_streams();

}  // namespace gprof::lsp
