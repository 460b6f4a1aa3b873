#include "server/record/record_files.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr mode_t new_file_mode = 0666;

std::string reason(int error) { return std::system_category().message(error); }

Error cannot(std::string_view what, const fs::path& path, int error) {
  return {ErrorCode::unreadable, fmt::format("{}: {}", what, reason(error)), path.string(),
          std::nullopt};
}

// 0, or errno.
int write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

fs::path temporary_name(const fs::path& path) {
  fs::path temporary = path;
  temporary += fmt::format(".tmp.{}", getpid());
  return temporary;
}

int make_new_file(const fs::path& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int descriptor = open(path.c_str(), flags, new_file_mode);
  if (descriptor >= 0 || errno != EEXIST) return descriptor;
  // Of a process that had this number before.
  unlink(path.c_str());
  return open(path.c_str(), flags, new_file_mode);
}

}  // namespace

Expected<void> write_whole_file(const fs::path& path, std::span<const std::byte> bytes) {
  const fs::path temporary = temporary_name(path);
  const int descriptor = make_new_file(temporary);
  if (descriptor < 0) return cannot("cannot be written", path, errno);
  int error = write_all(descriptor, bytes);
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(temporary.c_str());
  return cannot("cannot be written", path, error);
}

NamesLock::NamesLock(const fs::path& directory) {
  const char* path = directory.empty() ? "." : directory.c_str();
  descriptor_ = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) return;
  constexpr int patience = 4000;
  constexpr timespec millisecond = {0, 1'000'000};
  for (int attempt = 0; attempt < patience; ++attempt) {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) {
      return;
    }
    nanosleep(&millisecond, nullptr);
  }
}

NamesLock::~NamesLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

Expected<fs::path> prepare_directory(const fs::path& path) {
  std::error_code error;
  const fs::path wanted = path.empty() ? fs::path(".") : path;
  fs::create_directories(wanted, error);
  if (error) return cannot("cannot be made a directory", wanted, error.value());
  fs::path absolute = fs::canonical(wanted, error);
  if (error) return cannot("the directory cannot be used", wanted, error.value());
  const fs::path trial = temporary_name(absolute / "gprof-lsp");
  const int descriptor = make_new_file(trial);
  if (descriptor < 0) return cannot("no file can be made in this directory", absolute, errno);
  close(descriptor);
  unlink(trial.c_str());
  return absolute;
}

void tell(std::string_view message) {
  std::string line = fmt::format("gprof-lsp: {}", message);
  std::ranges::replace_if(
      line, [](unsigned char letter) { return letter < ' ' || letter == 0x7f; }, '?');
  line += '\n';
  // Nobody is left to hear of an error.
  static_cast<void>(write_all(STDERR_FILENO, std::as_bytes(std::span(line))));
}

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is this one.
    if (fcntl(stream, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDWR | O_CLOEXEC));
  }
}

}  // namespace gprof::lsp
