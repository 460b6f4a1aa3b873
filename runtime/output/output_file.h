// A file that is written completely or not at all: under a temporary name beside the final one,
// through a buffer, with raw system calls.
//
// Errors: the first one sticks (error(), a positive errno); later writes are dropped. Exceeding the
// file size limit (RLIMIT_FSIZE) is an error reported before the kernel would send a signal.
//
// Ownership: the object owns its buffer and descriptor; the caller renames or removes temporary
// files. Thread contract: one thread at a time, any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"
#include "runtime/system/message.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Long enough for the name in the live header, a soname and distinguishing numbers.
using FileName = Text<live_name_size + 256>;

// A directory to write to, kept open so that all files land in it even if the current directory
// changes meanwhile.
class OutputDirectory {
 public:
  // An empty path is the current directory. `held`: a descriptor to use instead of the path, which
  // is left open; -1 for none.
  OutputDirectory(const char* path, int held);
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;
  ~OutputDirectory();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Why it could not be opened (errno); 0 if it is open.
  [[nodiscard]] int error() const { return error_; }

  // For the temporary file of BEGUN: rename it to NAME, replacing any file there; rename it unless
  // NAME exists (EEXIST); remove it. All return an errno, 0 for success.
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

  // Creates the temporary file of NAME, new and empty.
  void open(const OutputDirectory& directory, const char* name);
  void write(const void* bytes, std::size_t size);
  void write_zeros(std::size_t size);
  template <typename Value>
  void write_value(const Value& value) {
    write(&value, sizeof value);
  }
  // Overwrites bytes written before; not part of the checksum.
  void write_again(std::uint64_t offset, const void* bytes, std::size_t size);
  // Makes the file fail with the caller's error.
  void fail(int error) {
    if (error_ == 0) error_ = error;
  }
  // Completes the temporary file. Returns error().
  int close();

  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::uint64_t size() const { return flushed_ + buffered_; }

  // CRC-32 (zlib's) of all bytes written since start_checksum().
  void start_checksum() {
    checksum_ = 0xffffffff;
    has_checksum_ = true;
  }
  [[nodiscard]] std::uint32_t checksum() const { return ~checksum_; }

 private:
  static constexpr std::size_t buffer_size = 65536;

  void flush();
  void write_through(const unsigned char* bytes, std::size_t size, std::uint64_t offset);

  unsigned char* buffer_ = nullptr;
  std::size_t buffered_ = 0;
  std::uint64_t flushed_ = 0;
  std::uint64_t limit_ = 0;  // file size limit
  std::uint32_t checksum_ = 0xffffffff;
  bool has_checksum_ = false;  // of the current file; most bytes of a profile are in files without
  int descriptor_ = -1;
  int error_ = 0;
};

}  // namespace gprof_runtime
