// The directory that profiles are written into, and lines on standard error.
//
// Thread contract: one thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/support/expected.h"

namespace gprof::lsp {

// Held while profiles in a directory are given names, as the collector does: none takes a name that
// another process takes just now. Waits for others for some seconds at most, and goes on without
// where the file system knows no locks.
//
// Ownership: of the descriptor, whose end is that of the lock.
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

// Makes the directory and those above it where they are missing, and sees that files can be made
// in it. Returns its absolute path. Empty: the current one. Errors: unreadable.
[[nodiscard]] Expected<std::filesystem::path> prepare_directory(const std::filesystem::path& path);

// One line "gprof-lsp: MESSAGE" on standard error, whatever a file's name in it may hold.
void tell(std::string_view message);

// Puts /dev/null where a standard stream is closed, for this program alone: else the next file to
// be opened would get what is meant for the stream.
void occupy_standard_streams();

}  // namespace gprof::lsp
