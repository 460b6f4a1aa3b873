#include "server/system/new_file.h"

#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr mode_t new_file_mode = 0666;
constexpr mode_t private_file_mode = 0600;
constexpr mode_t permission_bits = 0777;
constexpr std::string_view temporary_beginning = ".gprof-lsp-";
constexpr std::string_view temporary_ending = ".tmp";

Error not_written(const fs::path& path, int error) {
  return {ErrorCode::unreadable, "cannot be written: " + std::system_category().message(error),
          path.string(), std::nullopt};
}

Error not_replaced(const fs::path& path, std::string_view what) {
  return {
      ErrorCode::unreadable,
      fmt::format("{} has this name, and is not replaced; remove it, or choose another name", what),
      path.string(), std::nullopt};
}

bool names_a_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return !name.empty() && name != "." && name != "..";
}

// Directories whose names stand for open or attached things, where no files are created.
bool is_of_the_system(const fs::path& path) {
  const std::string folder = path.lexically_normal().parent_path().string();
  return folder == "/dev" || folder == "/dev/fd" || folder == "/proc" ||
         folder.starts_with("/proc/");
}

// Of the name itself, without following links; none if it does not exist.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

std::string temporary_name() {
  std::uint64_t number = 0;
  // Without random numbers, a name collision shows when the file is created.
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) < 0) {
    number = static_cast<std::uint64_t>(getpid());
  }
  return fmt::format("{}{:016x}{}", temporary_beginning, number, temporary_ending);
}

}  // namespace

bool is_unfinished_name(std::string_view name) {
  return name.starts_with(temporary_beginning) && name.ends_with(temporary_ending);
}

int write_bytes(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Expected<NewFile> NewFile::create(const fs::path& path, Readers readers) {
  if (!names_a_file(path)) return not_written(path, EISDIR);
  const auto status = status_of(path);
  const bool is_file = status && S_ISREG(status->st_mode);
  if (status && S_ISDIR(status->st_mode)) return not_replaced(path, "a directory");
  if (status && !is_file && !S_ISLNK(status->st_mode)) {
    return not_replaced(path, "something that is no regular file");
  }
  // Replacing a file only needs permission for its folder; respect the file's own as well.
  if (is_file && access(path.c_str(), W_OK) != 0) return not_written(path, errno);
  NewFile file(path);
  TRY(file.begin(readers));
  const bool is_own = is_file && status->st_uid == geteuid();
  if (is_own && fchmod(file.descriptor_, status->st_mode & permission_bits) != 0) {
    return not_written(path, errno);
  }
  return file;
}

Expected<NewFile> NewFile::create_or_open(const fs::path& path) {
  const auto status = status_of(path);
  const bool is_stream =
      status && (S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode) || S_ISBLK(status->st_mode));
  return is_stream || is_of_the_system(path) ? open_stream(path) : create(path);
}

Expected<NewFile> NewFile::open_stream(const fs::path& path) {
  NewFile file(path);
  file.descriptor_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file.descriptor_ < 0) return not_written(path, errno);
  return file;
}

Expected<void> NewFile::begin(Readers readers) {
  const fs::path folder = path_.parent_path();
  folder_ = open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return not_written(path_, errno);
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  constexpr int most_attempts = 8;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::string name = temporary_name();
    descriptor_ = openat(folder_, name.c_str(), flags,
                         readers == Readers::as_usual ? new_file_mode : private_file_mode);
    if (descriptor_ >= 0) {
      temporary_ = name;
      return {};
    }
    if (errno != EEXIST) break;
  }
  return not_written(path_, errno);
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      folder_(std::exchange(other.folder_, -1)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NewFile::~NewFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlinkat(folder_, temporary_.c_str(), 0);
  if (folder_ >= 0) close(folder_);
}

Expected<void> NewFile::write(std::string_view bytes) {
  if (const int error = write_bytes(descriptor_, bytes)) return not_written(path_, error);
  return {};
}

Expected<void> NewFile::commit() {
  if (close(std::exchange(descriptor_, -1)) != 0) return not_written(path_, errno);
  if (temporary_.empty()) return {};
  if (renameat(folder_, temporary_.c_str(), folder_, name().c_str()) != 0) {
    return not_written(path_, errno);
  }
  temporary_.clear();
  return {};
}

Expected<void> write_whole_file(const fs::path& path, std::string_view bytes) {
  TRY_ASSIGN(auto file, NewFile::create(path));
  TRY(file.write(bytes));
  return file.commit();
}

}  // namespace gprof::lsp
