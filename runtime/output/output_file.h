// A file that is written whole or not at all: under a temporary name beside the final one, through
// a buffer, by raw system calls.
//
// Errors: the first one sticks (error(), a positive number), what is written after it is dropped. A
// limit on the size of files (RLIMIT_FSIZE) is an error before the kernel answers it by a signal.
//
// Ownership: the object owns its buffer and descriptor; temporary files are the caller's to
// rename or to remove. Thread contract: one thread at a time, any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"
#include "runtime/system/message.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Long enough for the name in the live header, a soname and what tells files apart.
using FileName = Text<live_name_size + 256>;

// A directory to write in, kept open so that a change of the current directory meanwhile does not
// tear files apart.
class OutputDirectory {
 public:
  // An empty path is the current directory. Where `held` is a descriptor, that is used, and left
  // open; -1: the path.
  OutputDirectory(const char* path, int held);
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;
  ~OutputDirectory();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Why it cannot be opened, 0 where it is.
  [[nodiscard]] int error() const { return error_; }

  // Of the file that was begun as BEGUN: give the temporary file its name, in the place of what
  // has it; the same where nothing may have it, else EEXIST; remove the temporary file. They return
  // an error number, 0 for success.
  int rename_temporary(const char* begun, const char* name) const;
  int rename_temporary_if_unused(const char* begun, const char* name) const;
  int remove_temporary(const char* begun) const;
  int remove(const char* name) const;

 private:
  int descriptor_ = -1;
  bool is_held_ = false;
  int error_ = 0;
};

class OutputFile {
 public:
  OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  // Begins the temporary file of NAME, new and empty.
  void open(const OutputDirectory& directory, const char* name);
  void write(const void* bytes, std::size_t size);
  void write_zeros(std::size_t size);
  template <typename Value>
  void write_value(const Value& value) {
    write(&value, sizeof value);
  }
  // Writes over what was written already; not part of the checksum.
  void write_again(std::uint64_t offset, const void* bytes, std::size_t size);
  // Makes the file fail for a reason of the caller's.
  void fail(int error) {
    if (error_ == 0) error_ = error;
  }
  // Completes the temporary file. Returns error().
  int close();

  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::uint64_t size() const { return flushed_ + buffered_; }

  // CRC-32 (zlib's) of all bytes written since start_checksum().
  void start_checksum() { checksum_ = 0xffffffff; }
  [[nodiscard]] std::uint32_t checksum() const { return ~checksum_; }

 private:
  static constexpr std::size_t buffer_size = 65536;

  void flush();
  void write_through(const unsigned char* bytes, std::size_t size, std::uint64_t offset);

  unsigned char* buffer_ = nullptr;
  std::size_t buffered_ = 0;
  std::uint64_t flushed_ = 0;
  std::uint64_t limit_ = 0;  // of the size of files
  std::uint32_t checksum_ = 0xffffffff;
  int descriptor_ = -1;
  int error_ = 0;
};

}  // namespace gprof_runtime
