#include "runtime/storage/live_path.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/storage/file_space.h"
#include "runtime/storage/held_files.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::live {
namespace {

// One per process.
struct State {
  std::uint64_t device;
  std::uint64_t inode;
  char directory[4096];
  char path[4096];
};
State state;

// If paths have another meaning by now, names are relative to the directory held open.
int directory_of_names() {
  const int directory = held::directory();
  return directory >= 0 ? directory : AT_FDCWD;
}

// The file's path, for directory_of_names().
const char* own_name(int directory) {
  const char* name = state.path;
  if (directory == AT_FDCWD) return name;
  for (const char* at = name; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  return name;
}

// False if the file cannot be recognized later.
bool note_identity(int descriptor) {
  struct stat status {};
  if (sys::failed(sys::call(file_status_call, descriptor, sys::word(&status)))) return false;
  state.device = status.st_dev;
  state.inode = status.st_ino;
  return true;
}

// Whether the descriptor refers to the file that create_file() created.
bool is_own_file(int descriptor) {
  struct stat status {};
  return !sys::failed(sys::call(file_status_call, descriptor, sys::word(&status))) &&
         status.st_dev == state.device && status.st_ino == state.inode;
}

}  // namespace

void choose_directory() {
  const char* wanted = settings().output_directory;
  if (*wanted != '\0') {
    FixedText directory(state.directory, sizeof state.directory);
    directory.add(wanted);
    if (directory.cut()) state.directory[0] = '\0';
    return;
  }
  const sys::Result length =
      sys::call(__NR_getcwd, sys::word(state.directory), sizeof state.directory);
  // The kernel marks a directory that is unreachable from the root by a prefix in brackets.
  if (sys::failed(length) || state.directory[0] != '/') state.directory[0] = '\0';
}

int create_file(std::uint32_t process) {
  constexpr unsigned most_attempts = 100;
  const int mode = settings().live ? 0644 : 0600;
  for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
    FixedText path(state.path, sizeof state.path);
    path.add(state.directory).add("/gmon.live.").add(process);
    if (attempt > 0) path.add(".").add(attempt);
    if (state.directory[0] == '\0' || path.cut()) break;
    const int directory = directory_of_names();
    const sys::Result opened = sys::call(__NR_openat, directory, sys::word(own_name(directory)),
                                         O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (!sys::failed(opened)) {
      const int descriptor = static_cast<int>(opened);
      if (note_identity(descriptor)) return descriptor;
      sys::call(__NR_close, descriptor);
      remove_file();
      return -1;
    }
    constexpr sys::Result file_exists = -17;
    if (opened != file_exists) break;
  }
  state.path[0] = '\0';
  return -1;
}

int open_own_file() {
  if (state.path[0] == '\0') return -1;
  int descriptor = held::file();
  if (descriptor < 0) {
    const int directory = directory_of_names();
    const sys::Result opened = sys::call(__NR_openat, directory, sys::word(own_name(directory)),
                                         O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (sys::failed(opened)) return -1;
    descriptor = static_cast<int>(opened);
  }
  if (is_own_file(descriptor)) return descriptor;
  release_own_file(descriptor);
  return -1;
}

void release_own_file(int descriptor) {
  if (descriptor >= 0 && descriptor != held::file()) sys::call(__NR_close, descriptor);
}

const char* start_directory() { return state.directory; }

const char* path() { return state.path; }

void remove_file() {
  const int directory = directory_of_names();
  if (state.path[0] != '\0') sys::call(__NR_unlinkat, directory, sys::word(own_name(directory)), 0);
  state.path[0] = '\0';
}

void forget_file() { state.path[0] = '\0'; }

}  // namespace gprof_runtime::live
