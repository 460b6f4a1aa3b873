#include "server/cli/report/report_pager.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

// A shell's exit status if it cannot run a command.
constexpr int not_executable = 126;
constexpr int not_found = 127;

// less may be missing, which is not an error: nobody asked for it.
constexpr const char* default_command = "command -v less >/dev/null 2>&1 || exit 127; less";

// Ignores signals during its lifetime, in this process only.
template <std::size_t count>
class IgnoredSignals {
 public:
  explicit IgnoredSignals(const std::array<int, count>& signals) : signals_(signals) {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    for (std::size_t i = 0; i < count; ++i) sigaction(signals_[i], &ignore, &before_[i]);
  }
  ~IgnoredSignals() { restore(); }
  IgnoredSignals(const IgnoredSignals&) = delete;
  IgnoredSignals& operator=(const IgnoredSignals&) = delete;

  void restore() {
    for (std::size_t i = 0; i < count; ++i) sigaction(signals_[i], &before_[i], nullptr);
  }

 private:
  std::array<int, count> signals_;
  std::array<struct sigaction, count> before_{};
};

[[noreturn]] void become_pager(int input, const std::string& command) {
  dup2(input, STDIN_FILENO);
  // Quit if it fits the screen, pass colours through, leave the text on the screen.
  setenv("LESS", "FRX", 0);
  execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  _exit(not_found);
}

void write_as_far_as_read(int output, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(output, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool has_run(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return true;
  }
  if (!WIFEXITED(status)) return true;
  return WEXITSTATUS(status) != not_found && WEXITSTATUS(status) != not_executable;
}

}  // namespace

std::optional<std::string> pager_command() {
  const char* command = std::getenv("GPROF_PAGER");
  if (command == nullptr) command = std::getenv("PAGER");
  if (command == nullptr) command = default_command;
  std::string text = command;
  if (text.empty() || text == "cat") return std::nullopt;
  return text;
}

bool show_paged(std::string_view text, const std::string& command) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  // Interrupts belong to the pager: it may use them, and owns the terminal until it exits.
  IgnoredSignals<3> ignored({SIGPIPE, SIGINT, SIGQUIT});
  const pid_t child = fork();
  if (child == 0) {
    ignored.restore();
    become_pager(ends[0], command);
  }
  close(ends[0]);
  if (child > 0) write_as_far_as_read(ends[1], text);
  close(ends[1]);
  return child > 0 && has_run(child);
}

}  // namespace gprof::lsp
