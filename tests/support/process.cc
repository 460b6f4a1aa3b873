#include "tests/support/process.h"

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_paths.h"

extern char** environ;

namespace gprof::test {
namespace {

// Made for this process, and removed by it at its end, but not at the end of a child that it
// forked.
class WorkDirectory {
 public:
  WorkDirectory()
      : owner_(::getpid()),
        path_(std::filesystem::path(GPROF_LSP_TEST_WORK) / std::to_string(owner_)) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  ~WorkDirectory() {
    std::error_code ignored;
    if (::getpid() == owner_) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  pid_t owner_;
  std::filesystem::path path_;
};

// Both ends of a pipe, closed on destruction.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  [[nodiscard]] bool valid() const { return ends_[0] >= 0; }
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_ = {-1, -1};
};

// A null-terminated array of C strings that views `texts`.
std::vector<char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [added_name, value] : added) replaced = replaced || added_name == name;
    if (!replaced) merged.emplace_back(text);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

// Runs in the child between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(const char* program, char* const* argv, char* const* environment,
                         const char* directory, int out, int err) {
  const int in = ::open("/dev/null", O_RDONLY);
  const bool ready = in >= 0 && ::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
                     ::dup2(err, STDERR_FILENO) >= 0 &&
                     (directory == nullptr || ::chdir(directory) == 0);
  if (ready) ::execve(program, argv, environment);
  static constexpr char message[] = "cannot start the program\n";
  if (::write(STDERR_FILENO, message, sizeof message - 1) < 0) ::_exit(126);
  ::_exit(127);
}

// Reads both pipes until both are closed at the other end.
void drain(Pipe& out, Pipe& err, ProcessResult& result) {
  std::array<pollfd, 2> watched = {pollfd{out.reader(), POLLIN, 0},
                                   pollfd{err.reader(), POLLIN, 0}};
  std::array<std::string*, 2> texts = {&result.out, &result.err};
  std::array<char, 65536> buffer;
  std::size_t open_count = watched.size();
  while (open_count > 0) {
    if (::poll(watched.data(), watched.size(), -1) < 0) {
      if (errno != EINTR) return;
      continue;
    }
    for (std::size_t i = 0; i < watched.size(); ++i) {
      if (watched[i].fd < 0 || watched[i].revents == 0) continue;
      const ssize_t count = ::read(watched[i].fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        watched[i].fd = -1;
        --open_count;
      } else {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(count));
      }
    }
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& argv,
                          const std::filesystem::path& directory,
                          const std::vector<std::pair<std::string, std::string>>& environment) {
  if (argv.empty()) return {127, "", "no program given"};
  std::string program = argv.front();
  if (program.find('/') == std::string::npos) {
    const auto found = find_program(program);
    if (!found) return {127, "", "no program '" + program + "' in PATH"};
    program = found->string();
  }
  Pipe out;
  Pipe err;
  if (!out.valid() || !err.valid()) return {127, "", "cannot make a pipe"};
  const std::vector<std::string> merged = merged_environment(environment);
  const std::vector<char*> arguments = c_strings(argv);
  const std::vector<char*> variables = c_strings(merged);
  const std::string directory_text = directory.string();

  const pid_t child = ::fork();
  if (child < 0) return {127, "", "cannot fork"};
  if (child == 0) {
    become(program.c_str(), arguments.data(), variables.data(),
           directory_text.empty() ? nullptr : directory_text.c_str(), out.writer(), err.writer());
  }
  out.close_writer();
  err.close_writer();
  ProcessResult result;
  drain(out, err, result);
  result.exit_status = wait_for(child);
  return result;
}

std::optional<std::filesystem::path> find_program(std::string_view name) {
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/usr/bin:/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    std::filesystem::path candidate = directory.empty() ? "." : std::filesystem::path(directory);
    candidate /= name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    if (colon == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

const std::filesystem::path& work_directory() {
  static const WorkDirectory directory;
  return directory.path();
}

std::filesystem::path fresh_directory(std::string_view name) {
  std::string folder;
  for (const char c : name) {
    folder += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' ? c : '_';
  }
  const std::filesystem::path directory = work_directory() / folder;
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  return directory;
}

}  // namespace gprof::test
