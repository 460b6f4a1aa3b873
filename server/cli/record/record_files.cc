#include "server/cli/record/record_files.h"

#include <cerrno>
#include <ctime>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "server/system/new_file.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::system_category().message(error); }

Error cannot(std::string_view what, const fs::path& path, int error) {
  return {ErrorCode::unreadable, fmt::format("{}: {}", what, reason(error)), path.string(),
          std::nullopt};
}

}  // namespace

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
  // It is removed without a commit().
  if (const auto trial = NewFile::create(absolute / "gprof-lsp-trial"); !trial) {
    Error failure = trial.error();
    failure.message = fmt::format("no file can be made in this directory: {}", failure.message);
    failure.path = absolute.string();
    return failure;
  }
  return absolute;
}

void tell(std::string_view message) {
  const std::string line = fmt::format("gprof-lsp: {}\n", on_one_line(message));
  // There is nowhere left to report an error.
  static_cast<void>(write_bytes(STDERR_FILENO, line));
}

void occupy_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is this one.
    if (fcntl(stream, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDWR | O_CLOEXEC));
  }
}

}  // namespace gprof::lsp
