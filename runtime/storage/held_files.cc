#include "runtime/storage/held_files.h"

#include <cstdint>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "runtime/storage/file_space.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::held {
namespace {

struct Held {
  int number = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// One per process; forked children inherit it.
struct State {
  Held directory;
  Held file;
};
constinit State state = {};

bool find_status(int descriptor, struct stat* status) {
  return !sys::failed(sys::call(file_status_call, descriptor, sys::word(status)));
}

// Moves the descriptor out of the way of programs that expect the lowest numbers.
int move_up(int descriptor) {
  constexpr std::uint64_t usual_limit = 1024;
  constexpr std::uint64_t distance = 16;
  struct {
    std::uint64_t current;
    std::uint64_t highest;
  } limit = {usual_limit, 0};
  sys::call(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, sys::word(&limit));
  if (limit.current > usual_limit) limit.current = usual_limit;
  if (limit.current <= 2 * distance) return descriptor;
  const sys::Result moved = sys::call(__NR_fcntl, descriptor, F_DUPFD_CLOEXEC,
                                      static_cast<long>(limit.current - distance));
  if (sys::failed(moved)) return descriptor;
  sys::call(__NR_close, descriptor);
  return static_cast<int>(moved);
}

void open_and_hold(const char* path, int flags, Held* held) {
  const sys::Result opened = sys::call(__NR_openat, AT_FDCWD, sys::word(path), flags | O_CLOEXEC);
  if (sys::failed(opened)) return;
  const int descriptor = move_up(static_cast<int>(opened));
  struct stat status;
  if (!find_status(descriptor, &status)) {
    sys::call(__NR_close, descriptor);
    return;
  }
  *held = {descriptor, status.st_dev, status.st_ino};
}

// -1 if the number now belongs to another file.
int number_of(const Held& held) {
  struct stat status;
  if (held.number < 0 || !find_status(held.number, &status)) return -1;
  return status.st_dev == held.device && status.st_ino == held.inode ? held.number : -1;
}

void release(Held* held) {
  if (const int number = number_of(*held); number >= 0) sys::call(__NR_close, number);
  *held = {};
}

}  // namespace

void hold(const char* directory, const char* file) {
  if (held::directory() >= 0) return;
  open_and_hold(directory, O_PATH | O_DIRECTORY, &state.directory);
  if (*file != '\0') open_and_hold(file, O_RDWR | O_NOFOLLOW, &state.file);
}

int directory() { return number_of(state.directory); }
int file() { return number_of(state.file); }

void let_go_of_file() { release(&state.file); }

void let_go() {
  release(&state.file);
  release(&state.directory);
}

}  // namespace gprof_runtime::held
