#include "engine/support/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/support/parallel.h"

namespace gprof {
namespace {

// What one thread reads at a time.
constexpr std::size_t part_of_a_thread = std::size_t{4} << 20;

Error system_error(const std::string& path, std::string_view action, int code) {
  const bool missing = code == ENOENT || code == ENOTDIR;
  return Error{missing ? ErrorCode::not_found : ErrorCode::unreadable,
               fmt::format("{}: {}", action, std::generic_category().message(code)), path,
               std::nullopt};
}

FileTime time_of(const struct timespec& time) {
  return FileTime{time.tv_sec} * 1'000'000'000 + FileTime{time.tv_nsec};
}

Error not_regular(const std::string& path) {
  return Error{ErrorCode::unreadable, "not a regular file", path, std::nullopt};
}

FileStamp stamp_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino),
          static_cast<std::uint64_t>(status.st_size), time_of(status.st_mtim)};
}

}  // namespace

std::optional<FileStamp> file_stamp(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return stamp_of(status);
}

std::optional<FileTime> file_change_time(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return time_of(status.st_ctim);
}

Expected<InputFile> InputFile::open(const std::filesystem::path& path, FileUse use) {
  TRY(check_file_access(path, use));
  // Before it is opened: that alone wakes up the writer of a FIFO, and rewinds a tape.
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return system_error(path.string(), "cannot open the file", errno);
  }
  if (!S_ISREG(status.st_mode)) return not_regular(path.string());
  // O_NONBLOCK: a FIFO may have taken its place.
  InputFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), path.string(),
                 {});
  if (file.descriptor_ < 0) return system_error(path.string(), "cannot open the file", errno);
  if (::fstat(file.descriptor_, &status) != 0) {
    return system_error(path.string(), "cannot read the file's status", errno);
  }
  if (!S_ISREG(status.st_mode)) return not_regular(path.string());
  TRY(check_open_file(file.descriptor_, path, use));
  file.stamp_ = stamp_of(status);
  file.stored_size_ = file.stamp_.size;
  return file;
}

Expected<std::string> read_unsized_file(const std::filesystem::path& path, std::size_t most_bytes,
                                        FileUse use) {
  TRY_ASSIGN(const auto file, InputFile::open(path, use));
  constexpr std::size_t piece = 65536;
  std::string text;
  while (text.size() < most_bytes) {
    const std::size_t before = text.size();
    const std::size_t wanted = std::min(piece, most_bytes - before);
    text.resize(before + wanted);
    const ssize_t count = ::read(file.descriptor(), text.data() + before, wanted);
    if (count < 0 && errno != EINTR) {
      return system_error(path.string(), "cannot read the file", errno);
    }
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
  }
  return text;
}

InputFile InputFile::of_bytes(const InputFile& packed, std::vector<std::byte> bytes) {
  InputFile file(-1, packed.path_, packed.stamp_);
  file.stamp_.size = bytes.size();
  file.bytes_ = std::move(bytes);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      stamp_(other.stamp_),
      stored_size_(other.stored_size_),
      bytes_(std::move(other.bytes_)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  std::swap(stamp_, other.stamp_);
  std::swap(stored_size_, other.stored_size_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool InputFile::written_since() const {
  if (descriptor_ < 0) return false;
  struct stat status = {};
  return ::fstat(descriptor_, &status) != 0 || stamp_of(status) != stamp_;
}

bool InputFile::is_sparse() const {
  if (descriptor_ < 0) return false;
  constexpr std::uint64_t block = 512;
  struct stat status = {};
  return ::fstat(descriptor_, &status) == 0 &&
         static_cast<std::uint64_t>(status.st_blocks) * block < size();
}

std::uint64_t InputFile::next_data(std::uint64_t offset) const {
  if (offset >= size()) return size();
  if (descriptor_ < 0) return offset;
  const off_t found = ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
  if (found >= 0) return static_cast<std::uint64_t>(found);
  return errno == ENXIO ? size() : offset;
}

Expected<std::vector<std::byte>> InputFile::read_all() const { return read_at(0, size()); }

Expected<void> InputFile::check_inside(std::uint64_t offset, std::uint64_t size) const {
  if (offset <= stamp_.size && size <= stamp_.size - offset) return {};
  return Error{ErrorCode::truncated,
               fmt::format("{} bytes expected, the file ends at byte {}", size, stamp_.size), path_,
               offset};
}

Expected<std::vector<std::byte>> InputFile::read_at(std::uint64_t offset,
                                                    std::uint64_t size) const {
  // Before anything is allocated.
  TRY(check_inside(offset, size));
  std::vector<std::byte> bytes(size);
  TRY(read_into(offset, bytes));
  return bytes;
}

Expected<void> InputFile::read_into(std::uint64_t offset, std::span<std::byte> bytes) const {
  TRY(check_inside(offset, bytes.size()));
  if (bytes.size() < 4 * part_of_a_thread) return read_part(offset, bytes);
  const std::size_t parts = (bytes.size() + part_of_a_thread - 1) / part_of_a_thread;
  std::mutex mutex;  // guards the variables below
  Expected<void> all;
  for_each_index(parts, processor_count(), [&](std::size_t part) {
    const std::size_t begin = part * part_of_a_thread;
    const std::size_t size = std::min(part_of_a_thread, bytes.size() - begin);
    auto read = read_part(offset + begin, bytes.subspan(begin, size));
    if (read) return;
    const std::lock_guard lock(mutex);
    if (all) all = std::move(read);
  });
  return all;
}

Expected<void> InputFile::read_part(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (descriptor_ < 0) {
    std::ranges::copy(std::span(bytes_).subspan(offset, bytes.size()), bytes.begin());
    return {};
  }
  std::uint64_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(descriptor_, bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(path_, "cannot read the file", errno);
    if (count == 0) {
      return Error{ErrorCode::truncated, "the file became shorter while it was read", path_,
                   offset + done};
    }
    done += static_cast<std::uint64_t>(count);
  }
  return {};
}

}  // namespace gprof
