#include "runtime/process/loadable_image.h"

#include <cstddef>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/modules/elf_in_memory.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

#if defined(__NR_newfstatat)
constexpr long path_status_call = __NR_newfstatat;
#else
constexpr long path_status_call = __NR3264_fstatat;
#endif

struct FileNumber {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};
// Identifies the dynamic linker of this process; 0 if it has none.
FileNumber own_linker;

bool number_of(const char* path, FileNumber* number) {
  struct stat status {};
  const sys::Result result =
      sys::call(path_status_call, AT_FDCWD, sys::word(path), sys::word(&status), 0);
  if (sys::failed(result)) return false;
  *number = {status.st_dev, status.st_ino};
  return true;
}

// Keeps what the file begins with, where nearly all that is asked for is.
class File {
 public:
  File() = default;
  ~File() {
    if (owned_) sys::call(__NR_close, descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool open(const char* path) { return open_at(AT_FDCWD, path, 0); }
  // O_NONBLOCK: the path may be that of a pipe, which cannot be executed anyway.
  bool open_at(int directory, const char* path, int more_flags) {
    descriptor_ = sys::call(__NR_openat, directory, sys::word(path),
                            O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more_flags);
    owned_ = !sys::failed(descriptor_);
    if (owned_) head_used_ = read_now(0, head_, sizeof head_);
    return owned_;
  }
  // False if it is not open for reading.
  bool borrow(int descriptor) {
    descriptor_ = descriptor;
    head_used_ = read_now(0, head_, sizeof head_);
    return head_used_ != 0;
  }

  std::size_t read(std::uint64_t offset, void* to, std::size_t size) const {
    if (offset > head_used_ || size > head_used_ - offset) return read_now(offset, to, size);
    auto* bytes = static_cast<char*>(to);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = head_[offset + i];
    return size;
  }

  static long read_link(const char* path, char* to, std::size_t size) {
    return sys::call(__NR_readlinkat, AT_FDCWD, sys::word(path), sys::word(to),
                     static_cast<long>(size));
  }
  static bool is_known_linker(const char* path) {
    FileNumber number;
    return own_linker.inode != 0 && number_of(path, &number) && number.inode == own_linker.inode &&
           number.device == own_linker.device;
  }

 private:
  std::size_t read_now(std::uint64_t offset, void* to, std::size_t size) const {
    const sys::Result count = sys::call(__NR_pread64, descriptor_, sys::word(to),
                                        static_cast<long>(size), static_cast<long>(offset));
    return sys::failed(count) ? 0 : static_cast<std::size_t>(count);
  }

  long descriptor_ = -1;
  bool owned_ = false;
  std::size_t head_used_ = 0;
  char head_[1024];
};

// The file of execveat(). A descriptor may be open for execution alone (O_PATH).
bool open_image(File* file, int directory, const char* path, int flags) {
  if ((flags & AT_EMPTY_PATH) == 0 || *path != '\0') {
    return file->open_at(directory, path, (flags & AT_SYMLINK_NOFOLLOW) != 0 ? O_NOFOLLOW : 0);
  }
  if (file->borrow(directory)) return true;
  Text<64> link;
  link.add("/proc/self/fd/").add(static_cast<std::uint64_t>(directory));
  return file->open(link.c_str());
}

}  // namespace

void remember_own_linker() {
  ElfObject executable;
  if (!read_executable(&executable)) return;
  for (std::size_t i = 0; i < executable.program_header_count; ++i) {
    const Elf64_Phdr& segment = executable.program_headers[i];
    if (segment.p_type != PT_INTERP) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the program itself
    number_of(reinterpret_cast<const char*>(executable.bias + segment.p_vaddr), &own_linker);
  }
}

Fit fit_of_image(int directory, const char* path, int flags) {
  File file;
  if (!open_image(&file, directory, path, flags)) return Fit::unknown;
  return gprof_formats::library_fit_of(file, path);
}

}  // namespace gprof_runtime
