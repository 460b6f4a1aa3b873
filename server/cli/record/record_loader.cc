#include "server/cli/record/record_loader.h"

#include <cstddef>
#include <cstdint>

#include <fcntl.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

class ProgramFile {
 public:
  ProgramFile() = default;
  ~ProgramFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  ProgramFile(const ProgramFile&) = delete;
  ProgramFile& operator=(const ProgramFile&) = delete;

  bool open(const char* path) {
    // The path may be that of a pipe, which cannot be executed anyway.
    descriptor_ = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return descriptor_ >= 0;
  }
  std::size_t read(std::uint64_t offset, void* to, std::size_t size) const {
    const ssize_t count = pread(descriptor_, to, size, static_cast<off_t>(offset));
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  static long read_link(const char* path, char* to, std::size_t size) {
    return readlink(path, to, size);
  }
  // This process may be static, or of another libc.
  static bool is_known_linker(const char* /*path*/) { return false; }

 private:
  int descriptor_ = -1;
};

}  // namespace

gprof_formats::LibraryFit library_fit_of_program(const std::filesystem::path& path) {
  ProgramFile file;
  if (!file.open(path.c_str())) return gprof_formats::LibraryFit::unknown;
  return gprof_formats::library_fit_of(file, path.c_str());
}

}  // namespace gprof::lsp
