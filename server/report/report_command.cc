#include "server/report/report_command.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/report/report.h"
#include "server/report/report_colors.h"
#include "server/report/report_help.h"
#include "server/report/report_options.h"
#include "server/report/report_pager.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr int success_status = 0;
constexpr int failure_status = 1;
// What a shell tells of a process that SIGPIPE ended.
constexpr int broken_pipe_status = 128 + 13;

constexpr std::size_t most_stream_bytes = std::size_t{2} << 30U;

// One line, whatever a file's name may hold.
void tell(std::string_view message) {
  std::string line = fmt::format("gprof-lsp report: {}", message);
  std::ranges::replace_if(
      line, [](unsigned char letter) { return letter < ' ' || letter == 0x7f; }, '?');
  fmt::print(stderr, "{}\n", line);
}

std::string reason(int error) { return std::system_category().message(error); }

Error system_error(const std::string& path, int error) {
  return {ErrorCode::unreadable, reason(error), path, std::nullopt};
}

// 0, or errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Expected<std::vector<std::byte>> read_stream(int descriptor, const std::string& name) {
  std::vector<std::byte> bytes;
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(std::max<std::size_t>(1U << 16U, bytes.size() * 2));
    const ssize_t count = read(descriptor, bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error(name, errno);
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > most_stream_bytes) {
      return Error{ErrorCode::unsupported, "more than 2 GiB in a stream; no profile is that large",
                   name, std::nullopt};
    }
  }
  bytes.resize(used);
  return bytes;
}

// Standard input, or a pipe that a shell gives a name to: `<(zcat gmon.out.gz)`.
bool is_stream(const std::string& profile) {
  struct stat status = {};
  return profile == "-" || (stat(profile.c_str(), &status) == 0 && S_ISFIFO(status.st_mode));
}

Expected<std::vector<std::byte>> read_named_stream(const std::string& profile) {
  if (profile == "-") return read_stream(STDIN_FILENO, profile);
  const int descriptor = open(profile.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return system_error(profile, errno);
  auto bytes = read_stream(descriptor, profile);
  close(descriptor);
  return bytes;
}

// A file that appears under its name when it is whole: it may be one of the profiles that were
// read, and nobody shall find half of it.
class FileInTheMaking {
 public:
  explicit FileInTheMaking(fs::path target) : target_(std::move(target)) {
    temporary_ = target_;
    temporary_ += fmt::format(".{}.tmp", getpid());
  }
  ~FileInTheMaking() {
    if (descriptor_ >= 0) close(descriptor_);
    if (created_) unlink(temporary_.c_str());
  }
  FileInTheMaking(const FileInTheMaking&) = delete;
  FileInTheMaking& operator=(const FileInTheMaking&) = delete;

  // 0, or errno.
  int write(std::string_view contents, std::optional<mode_t> mode);

 private:
  fs::path target_;
  fs::path temporary_;
  int descriptor_ = -1;
  bool created_ = false;
};

constexpr mode_t new_file_mode = 0666;

int FileInTheMaking::write(std::string_view contents, std::optional<mode_t> mode) {
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, new_file_mode);
  if (descriptor_ < 0) return errno;
  created_ = true;
  if (mode && fchmod(descriptor_, *mode) != 0) return errno;
  if (const int error = write_all(descriptor_, contents)) return error;
  if (close(std::exchange(descriptor_, -1)) != 0) return errno;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return errno;
  created_ = false;
  return 0;
}

int write_in_place(const fs::path& path, std::string_view contents) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = write_all(descriptor, contents);
  return close(descriptor) != 0 && error == 0 ? errno : error;
}

// 0, or errno.
int write_file(const ReportFile& file) {
  std::error_code unresolved;
  // A link stays one.
  fs::path target = fs::canonical(file.path, unresolved);
  if (unresolved) target = file.path;
  struct stat status = {};
  if (stat(target.c_str(), &status) != 0) {
    return FileInTheMaking(target).write(file.contents, std::nullopt);
  }
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return write_in_place(target, file.contents);
  // To replace a file takes leave of its folder alone; its own counts as well.
  if (access(target.c_str(), W_OK) != 0) return errno;
  const int error = FileInTheMaking(target).write(file.contents, status.st_mode & 07777U);
  // A file that is there may be written to where no other may be made.
  return error == EACCES || error == EPERM ? write_in_place(target, file.contents) : error;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool wants_color(ColorChoice choice, bool on_terminal) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  const std::string terminal = environment("TERM");
  return on_terminal && environment("NO_COLOR").empty() && !terminal.empty() && terminal != "dumb";
}

// 0, or errno, of writing to standard output.
int printed_status(int error) {
  if (error == 0) return success_status;
  if (error == EPIPE) return broken_pipe_status;
  tell(fmt::format("standard output: {}", reason(error)));
  return failure_status;
}

int print_directly(std::string_view text) { return printed_status(write_all(STDOUT_FILENO, text)); }

// A text that is coloured or paged is taken as a whole.
int print_dressed(std::string text, bool colors, bool pages) {
  if (colors) text = colored_report(text);
  if (pages && !text.empty()) {
    const auto pager = pager_command();
    if (pager && show_paged(text, *pager)) return success_status;
  }
  return print_directly(text);
}

struct Printed {
  int status = success_status;
  PrintedBeside beside;
};

Printed print_report(const Report& report, const ReportOptions& options) {
  Printed printed;
  const bool on_terminal = isatty(STDOUT_FILENO) != 0;
  const bool colors = wants_color(options.color, on_terminal);
  const bool pages = on_terminal && options.pager;
  if (colors || pages) {
    std::string text;
    printed.beside = report.print([&](std::string_view piece) {
      text += piece;
      return true;
    });
    printed.status = print_dressed(std::move(text), colors, pages);
    return printed;
  }
  int error = 0;
  printed.beside = report.print([&](std::string_view piece) {
    error = write_all(STDOUT_FILENO, piece);
    return error == 0;
  });
  printed.status = printed_status(error);
  return printed;
}

Expected<void> complete_request(ReportRequest& request) {
  if (const char* path = std::getenv("GPROF_PATH")) {
    for (std::string& directory : split_directories(path)) {
      request.source_directories.push_back(std::move(directory));
    }
  }
  for (const std::string& profile : request.profiles) {
    if (!is_stream(profile) || request.streams.contains(profile)) continue;
    auto bytes = read_named_stream(profile);
    if (!bytes) return bytes.error();
    request.streams.emplace(profile, std::move(*bytes));
  }
  return {};
}

bool wrote(const ReportFile& file) {
  const int error = write_file(file);
  if (error != 0) tell(fmt::format("{}: {}", file.path, reason(error)));
  return error == 0;
}

int run_report(ReportOptions options) {
  if (const auto complete = complete_request(options.request); !complete) {
    tell(describe(complete.error()));
    return failure_status;
  }
  const auto report = Report::prepare(options.request);
  if (!report) {
    tell(describe(report.error()));
    return failure_status;
  }
  for (const Error& warning : report->warnings()) tell(describe(warning));
  if (report->summary_file() && !wrote(*report->summary_file())) return failure_status;
  const Printed printed = print_report(*report, options);
  for (const Error& warning : printed.beside.warnings) tell(describe(warning));
  for (const ReportFile& file : printed.beside.files) wrote(file);
  if (!report->failure()) return printed.status;
  tell(describe(*report->failure()));
  return failure_status;
}

}  // namespace

int run_report(std::span<const std::string_view> words) {
  ReportCommandLine command = parse_report_options(words);
  if (const auto* error = std::get_if<UsageError>(&command)) {
    tell(error->message);
    return failure_status;
  }
  if (std::holds_alternative<HelpRequest>(command)) return print_directly(report_help_text());
  if (std::holds_alternative<VersionRequest>(command)) {
    return print_directly(fmt::format("gprof-lsp report {}\n", GPROF_LSP_VERSION));
  }
  return run_report(std::move(*std::get_if<ReportOptions>(&command)));
}

}  // namespace gprof::lsp
