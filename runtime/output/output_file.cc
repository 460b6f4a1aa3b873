#include "runtime/output/output_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/output/anonymous_array.h"
#include "runtime/output/array_order.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

struct ChecksumTable {
  std::uint32_t of[256];
};

constexpr ChecksumTable make_checksum_table() {
  ChecksumTable table = {};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xedb88320 : 0);
    table.of[byte] = rest;
  }
  return table;
}

constexpr ChecksumTable checksum_table = make_checksum_table();

std::uint32_t extend_checksum(std::uint32_t checksum, const unsigned char* bytes,
                              std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    checksum = checksum_table.of[(checksum ^ bytes[i]) & 0xff] ^ (checksum >> 8);
  }
  return checksum;
}

// .NAME.PID.tmp, a name that no other process uses and no pattern for profiles (gmon.*) matches.
class TemporaryName {
 public:
  explicit TemporaryName(const char* name) {
    const char* slash = std::strrchr(name, '/');
    const std::size_t folder = slash == nullptr ? 0 : static_cast<std::size_t>(slash - name) + 1;
    text_.add(name, folder).add(".").add(name + folder).add(".");
    text_.add(static_cast<std::uint64_t>(sys::call(__NR_getpid))).add(".tmp");
  }
  [[nodiscard]] const char* c_str() const { return text_.c_str(); }

 private:
  FileName text_;
};

struct Limit {
  std::uint64_t soft;
  std::uint64_t hard;
};

bool read_limit(int resource, Limit* limit) {
  return !sys::failed(sys::call(__NR_prlimit64, 0, resource, 0, sys::word(limit)));
}

std::uint64_t file_size_limit() {
  Limit limit = {};
  return read_limit(RLIMIT_FSIZE, &limit) ? limit.soft : ~std::uint64_t{0};
}

int open_once(int directory, const char* path, int flags) {
  sys::Result result = 0;
  do {
    result = sys::call(__NR_openat, directory, sys::word(path), flags, 0666);
  } while (result == -EINTR);
  // Do not take the place of a closed standard stream, which other threads may be writing to.
  constexpr sys::Result last_stream = 2;
  if (result >= 0 && result <= last_stream) {
    const sys::Result moved = sys::call(__NR_fcntl, result, F_DUPFD_CLOEXEC, last_stream + 1);
    if (!sys::failed(moved)) {
      sys::call(__NR_close, result);
      result = moved;
    }
  }
  return static_cast<int>(result);
}

// Whether the result is one that system call filters return for calls that they reject.
bool is_refused(sys::Result result) { return result == -EPERM || result == -ENOSYS; }

sys::Result write_at(int descriptor, const unsigned char* bytes, std::size_t size,
                     std::uint64_t offset) {
  const auto length = static_cast<long>(size);
  const auto place = static_cast<long>(offset);
  const sys::Result result = sys::call(__NR_pwrite64, descriptor, sys::word(bytes), length, place);
  if (!is_refused(result)) return result;
  const sys::Result moved = sys::call(__NR_lseek, descriptor, place, SEEK_SET);
  return sys::failed(moved) ? moved : sys::call(__NR_write, descriptor, sys::word(bytes), length);
}

// Works even if the program has used up its descriptors, provided its soft limit can be raised for
// a moment.
int open_file(int directory, const char* path, int flags) {
  const int descriptor = open_once(directory, path, flags);
  constexpr std::uint64_t more = 64;
  Limit limit = {};
  if (descriptor != -EMFILE || !read_limit(RLIMIT_NOFILE, &limit)) return descriptor;
  if (limit.soft >= limit.hard) return descriptor;
  const Limit raised = {smaller(limit.soft + more, limit.hard), limit.hard};
  sys::call(__NR_prlimit64, 0, RLIMIT_NOFILE, sys::word(&raised), 0);
  const int second = open_once(directory, path, flags);
  sys::call(__NR_prlimit64, 0, RLIMIT_NOFILE, sys::word(&limit), 0);
  return second;
}

}  // namespace

OutputDirectory::OutputDirectory(const char* path, int held)
    : descriptor_(held), is_held_(held >= 0) {
  if (is_held_) return;
  const bool current = *path == '\0';
  descriptor_ = open_file(AT_FDCWD, current ? "." : path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ >= 0) return;
  // The current directory can be used without being opened.
  if (current) {
    descriptor_ = AT_FDCWD;
  } else {
    error_ = -descriptor_;
  }
}

OutputDirectory::~OutputDirectory() {
  if (descriptor_ >= 0 && !is_held_) sys::call(__NR_close, descriptor_);
}

int OutputDirectory::rename_temporary(const char* begun, const char* name) const {
  const TemporaryName temporary(begun);
  const long from = sys::word(temporary.c_str());
  const long to = sys::word(name);
  sys::Result result = sys::call(__NR_renameat, descriptor_, from, descriptor_, to);
  if (is_refused(result)) {
    result = sys::call(__NR_renameat2, descriptor_, from, descriptor_, to, 0);
  }
  return static_cast<int>(-result);
}

int OutputDirectory::rename_temporary_if_unused(const char* begun, const char* name) const {
  constexpr long only_if_unused = 1;  // RENAME_NOREPLACE
  const TemporaryName temporary(begun);
  const long from = sys::word(temporary.c_str());
  const long to = sys::word(name);
  sys::Result result =
      sys::call(__NR_renameat2, descriptor_, from, descriptor_, to, only_if_unused);
  // File systems without RENAME_NOREPLACE (NFS) may support links; some support neither.
  if (result == -EINVAL) {
    result = sys::call(__NR_linkat, descriptor_, from, descriptor_, to, 0);
    if (!sys::failed(result)) remove_temporary(begun);
  }
  if (!sys::failed(result) || result == -EEXIST) return static_cast<int>(-result);
  return rename_temporary(begun, name);
}

int OutputDirectory::remove_temporary(const char* begun) const {
  const TemporaryName temporary(begun);
  return remove(temporary.c_str());
}

int OutputDirectory::remove(const char* name) const {
  return static_cast<int>(-sys::call(__NR_unlinkat, descriptor_, sys::word(name), 0));
}

OutputFile::OutputFile()
    : buffer_(static_cast<unsigned char*>(map_anonymous(buffer_size))), limit_(file_size_limit()) {}

OutputFile::~OutputFile() {
  close();
  unmap_anonymous(buffer_, buffer_size);
}

void OutputFile::open(const OutputDirectory& directory, const char* name) {
  close();
  error_ = buffer_ == nullptr ? ENOMEM : directory.error();
  buffered_ = 0;
  flushed_ = 0;
  has_checksum_ = false;
  if (error_ != 0) return;
  const TemporaryName temporary(name);
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  descriptor_ = open_file(directory.descriptor(), temporary.c_str(), flags);
  if (descriptor_ == -EEXIST) {
    // Left by a killed process with the same id.
    directory.remove_temporary(name);
    descriptor_ = open_file(directory.descriptor(), temporary.c_str(), flags);
  }
  if (descriptor_ < 0) {
    error_ = -descriptor_;
    descriptor_ = -1;
  }
}

void OutputFile::write(const void* bytes, std::size_t size) {
  if (error_ != 0) return;
  const auto* from = static_cast<const unsigned char*>(bytes);
  if (has_checksum_) checksum_ = extend_checksum(checksum_, from, size);
  while (size != 0) {
    if (buffered_ == buffer_size) flush();
    const std::size_t part = smaller(size, buffer_size - buffered_);
    std::memcpy(buffer_ + buffered_, from, part);
    buffered_ += part;
    from += part;
    size -= part;
  }
}

void OutputFile::write_zeros(std::size_t size) {
  static constexpr unsigned char zeros[512] = {};
  while (size != 0 && error_ == 0) {
    const std::size_t part = smaller(size, sizeof zeros);
    write(zeros, part);
    size -= part;
  }
}

void OutputFile::write_again(std::uint64_t offset, const void* bytes, std::size_t size) {
  flush();
  write_through(static_cast<const unsigned char*>(bytes), size, offset);
}

int OutputFile::close() {
  if (descriptor_ < 0) return error_;
  flush();
  const sys::Result result = sys::call(__NR_close, descriptor_);
  descriptor_ = -1;
  // An interrupted close() has closed the file nevertheless.
  if (sys::failed(result) && result != -EINTR && error_ == 0) error_ = static_cast<int>(-result);
  return error_;
}

void OutputFile::flush() {
  write_through(buffer_, buffered_, flushed_);
  flushed_ += buffered_;
  buffered_ = 0;
}

void OutputFile::write_through(const unsigned char* bytes, std::size_t size, std::uint64_t offset) {
  while (size != 0 && error_ == 0) {
    if (offset + size > limit_) {
      error_ = EFBIG;
      return;
    }
    const sys::Result result = write_at(descriptor_, bytes, size, offset);
    if (result == -EINTR) continue;
    if (sys::failed(result) || result == 0) {
      error_ = result == 0 ? ENOSPC : static_cast<int>(-result);
      return;
    }
    bytes += result;
    size -= static_cast<std::size_t>(result);
    offset += static_cast<std::uint64_t>(result);
  }
}

}  // namespace gprof_runtime
