#include "server/system/debuginfod_program.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/system/pipe.h"
#include "server/system/word_pointers.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr const char* program_name = "debuginfod-find";
constexpr std::size_t longest_line = 4096;
constexpr std::size_t longest_output = 65536;
// How long a cancellation may go unnoticed.
constexpr int patience_milliseconds = 200;

std::optional<fs::path> debuginfod_program() {
  const char* const variable = std::getenv("PATH");
  std::string_view rest = variable == nullptr ? "/usr/local/bin:/usr/bin:/bin" : variable;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path folder = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!folder.is_absolute()) continue;
    const fs::path file = folder / program_name;
    std::error_code failed;
    if (fs::is_regular_file(file, failed) && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

// Errors are to be in English, so that they can be understood.
std::vector<std::string> environment_of_program() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("LC_ALL=")) variables.emplace_back(*variable);
  }
  variables.emplace_back("LC_ALL=C");
  return variables;
}

class RunningProgram {
 public:
  RunningProgram() = default;
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() { end(); }

  // 0 or an errno.
  int start(const fs::path& file, std::vector<std::string> arguments);
  // Hears what it says until it ends: false if it was ended.
  bool follow(const DebuginfodLibrary::Progress& progress);
  // By its exit status; after follow().
  [[nodiscard]] bool has_succeeded() const { return succeeded_; }
  [[nodiscard]] const std::string& output() const { return output_; }
  [[nodiscard]] const DebuginfodMessages& messages() const { return messages_; }
  // The file that it is writing to in a folder of that name.
  [[nodiscard]] std::optional<fs::path> file_below(const std::string& folder) const;
  void end();

 private:
  void hear();
  bool has_ended();

  pid_t process_ = -1;
  bool succeeded_ = false;
  Pipe paths_;
  Pipe errors_;
  std::string output_;
  DebuginfodMessages messages_;
};

int RunningProgram::start(const fs::path& file, std::vector<std::string> arguments) {
  if (!paths_.open() || !errors_.open()) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, paths_.input(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors_.input(), STDERR_FILENO);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> variables = environment_of_program();
  const int error = ::posix_spawn(&process_, file.c_str(), &actions, &attributes,
                                  word_pointers(arguments).data(), word_pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) process_ = -1;
  paths_.close_input();
  errors_.close_input();
  return error;
}

void RunningProgram::hear() {
  std::array<pollfd, 2> ends{pollfd{paths_.output(), POLLIN, 0},
                             pollfd{errors_.output(), POLLIN, 0}};
  // Once it says nothing more, it ends.
  const bool listens = paths_.is_open() || errors_.is_open();
  if (::poll(ends.data(), ends.size(), listens ? patience_milliseconds : 1) <= 0) return;
  if (ends[0].revents != 0 && !paths_.read(output_)) paths_.close_output();
  if (output_.size() > longest_output) output_.resize(longest_output);
  std::string said;
  if (ends[1].revents != 0 && !errors_.read(said)) errors_.close_output();
  messages_.add(said);
}

bool RunningProgram::has_ended() {
  int status = 0;
  const pid_t process = ::waitpid(process_, &status, WNOHANG);
  if (process == 0 || (process < 0 && errno == EINTR)) return false;
  // If this process ignores the ends of its children, what was printed has to do.
  succeeded_ = process < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
  process_ = -1;
  return true;
}

bool RunningProgram::follow(const DebuginfodLibrary::Progress& progress) {
  while (paths_.is_open() || errors_.is_open() || !has_ended()) {
    hear();
    if (!progress(messages_.done(), messages_.total())) return false;
  }
  return true;
}

std::optional<fs::path> RunningProgram::file_below(const std::string& folder) const {
  std::error_code failed;
  const fs::path descriptors = fs::path("/proc") / std::to_string(process_) / "fd";
  for (const auto& entry : fs::directory_iterator(descriptors, failed)) {
    const fs::path file = fs::read_symlink(entry.path(), failed);
    if (!failed && file.parent_path().filename() == folder) return file;
  }
  return std::nullopt;
}

void RunningProgram::end() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

// What is there of a file that will not be completed would stay in the cache for long.
void end_without_remains(RunningProgram& program, const std::string& build_id_hex) {
  const auto begun = program.file_below(build_id_hex);
  program.end();
  std::error_code failed;
  if (begun) fs::remove(*begun, failed);
}

}  // namespace

void DebuginfodMessages::add(std::string_view text) {
  for (const char letter : text) {
    if (letter == '\n' || letter == '\r') {
      take_line();
      line_.clear();
    } else if (line_.size() < longest_line) {
      line_.push_back(letter);
    }
  }
}

void DebuginfodMessages::take_line() {
  constexpr std::string_view progress = "Progress ";
  constexpr std::string_view between = " / ";
  constexpr std::string_view failure = "Server query failed: ";
  const std::string_view line = line_;
  if (line.starts_with(failure)) {
    const std::string_view reason = line.substr(failure.size());
    error_ = EIO;
    for (const int known : {ENOENT, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIME, ETIMEDOUT,
                            EACCES, EFBIG, EROFS, ENOSPC, ENOSYS}) {
      if (reason == std::generic_category().message(known)) error_ = known;
    }
  } else if (line.starts_with(progress)) {
    const char* const end = line.data() + line.size();
    long done = 0;
    long total = 0;
    const auto first = std::from_chars(line.data() + progress.size(), end, done);
    const std::string_view rest(first.ptr, static_cast<std::size_t>(end - first.ptr));
    if (first.ec != std::errc() || !rest.starts_with(between)) return;
    if (std::from_chars(rest.data() + between.size(), end, total).ec != std::errc()) return;
    done_ = done;
    total_ = total;
  }
}

Expected<DebuginfodLibrary::Fetched> find_by_debuginfod_program(
    const std::string& build_id_hex, const DebuginfodLibrary::Progress& progress) {
  using Fetched = DebuginfodLibrary::Fetched;
  const auto file = debuginfod_program();
  if (!file) {
    return Error{ErrorCode::not_found, "there is no such program in the folders of PATH",
                 program_name, std::nullopt};
  }
  RunningProgram program;
  const int error = program.start(*file, {program_name, "-v", "debuginfo", build_id_hex});
  if (error != 0) return Fetched{error, {}};
  if (!program.follow(progress)) {
    end_without_remains(program, build_id_hex);
    return Fetched{EINTR, {}};
  }
  const std::string& output = program.output();
  const fs::path path = output.substr(0, output.find('\n'));
  if (program.has_succeeded() && path.is_absolute()) return Fetched{0, path};
  return Fetched{program.messages().error() != 0 ? program.messages().error() : EIO, {}};
}

}  // namespace gprof::lsp
