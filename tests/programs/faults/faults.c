/* Preloaded, makes one call of the C library fail: the n-th of a kind, once it is told to.

   GPROF_TEST_FAULTS names a file of three 64-bit words that the test writes and reads: which kind
   fails (enum Kind, 0: none), how many calls are left until it does, how many have failed. Reads and
   writes count where they are of regular files: on the others a conversation runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum Kind { none, allocation, opening, reading, writing, mapping, renaming };

struct Control {
  uint64_t kind;
  uint64_t left;
  uint64_t failed;
};
static struct Control* control;

__attribute__((constructor)) static void begin(void) {
  const char* path = getenv("GPROF_TEST_FAULTS");
  if (path == NULL) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (file < 0) abort();
  void* at = (void*)syscall(SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED,
                            file, 0);
  if (at == MAP_FAILED) abort();
  syscall(SYS_close, file);
  control = at;
}

static int fails(enum Kind kind, int error) {
  if (control == NULL || __atomic_load_n(&control->kind, __ATOMIC_ACQUIRE) != kind) return 0;
  if (__atomic_sub_fetch(&control->left, 1, __ATOMIC_ACQ_REL) != 0) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_ACQ_REL);
  errno = error;
  return 1;
}

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) { return fails(allocation, ENOMEM) ? NULL : __libc_malloc(size); }
void* calloc(size_t count, size_t size) {
  return fails(allocation, ENOMEM) ? NULL : __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  return fails(allocation, ENOMEM) ? NULL : __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails(allocation, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

static mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int openat(int folder, const char* path, int flags, ...) {
  if (fails(opening, EMFILE)) return -1;
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  if (fails(opening, EMFILE)) return -1;
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));

static int is_regular(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t read(int file, void* bytes, size_t size) {
  if (is_regular(file) && fails(reading, EIO)) return -1;
  return syscall(SYS_read, file, bytes, size);
}

ssize_t pread(int file, void* bytes, size_t size, off_t at) {
  if (fails(reading, EIO)) return -1;
  return syscall(SYS_pread64, file, bytes, size, at);
}

ssize_t pread64(int file, void* bytes, size_t size, off_t at) __attribute__((alias("pread")));

ssize_t write(int file, const void* bytes, size_t size) {
  if (is_regular(file) && fails(writing, ENOSPC)) return -1;
  return syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
  if (fails(writing, ENOSPC)) return -1;
  return syscall(SYS_pwrite64, file, bytes, size, at);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off_t at)
    __attribute__((alias("pwrite")));

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(mapping, ENOMEM)) return MAP_FAILED;
  return (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

void* mmap64(void* at, size_t size, int protection, int flags, int file, off_t offset)
    __attribute__((alias("mmap")));

int rename(const char* from, const char* to) {
  if (fails(renaming, EIO)) return -1;
  return (int)syscall(SYS_rename, from, to);
}
