#include "server/system/child_command.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/system/pipe.h"
#include "server/system/word_pointers.h"

namespace gprof::lsp {
namespace {

using Clock = std::chrono::steady_clock;

// How long a cancellation may go unnoticed.
constexpr std::chrono::milliseconds longest_unheard{50};
// What a program gets to write its profile after it was asked to end.
constexpr std::chrono::seconds grace{5};

class Child {
 public:
  explicit Child(const ChildCommand& command) : command_(command) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill_all(); }

  Expected<void> start();
  ChildEnd follow(const std::atomic<bool>& cancelled);

 private:
  [[noreturn]] void become(char* const* words, int null, pid_t parent) const;
  void hear();
  void take(Pipe& pipe, std::string& kept, short happened);
  [[nodiscard]] bool has_ended();
  // Once it has to end: asked at first, then made to.
  void end_it();
  void kill_all();

  const ChildCommand& command_;
  Pipe output_;
  Pipe error_;
  pid_t process_ = -1;
  std::optional<int> wait_status_;
  std::optional<Clock::time_point> asked_;
  ChildEnd end_;
};

// After fork(): only what a signal handler might call.
void Child::become(char* const* words, int null, pid_t parent) const {
  ::setpgid(0, 0);
  // Of the thread that has started it and waits for it.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  constexpr int not_run = 126;
  // It may have ended before that.
  if (::getppid() != parent) ::_exit(not_run);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output_.input(), STDOUT_FILENO);
  ::dup2(error_.input(), STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (::chdir(command_.folder.c_str()) == 0) ::execv(command_.program.c_str(), words);
  ::_exit(not_run);
}

Expected<void> Child::start() {
  const auto cannot = [&](int error) {
    return Error{ErrorCode::unreadable,
                 fmt::format("cannot be run: {}", std::generic_category().message(error)),
                 command_.program.string(), std::nullopt};
  };
  if (!output_.open() || !error_.open()) return cannot(errno);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null < 0) return cannot(errno);
  std::vector<std::string> words = command_.words;
  std::vector<char*> pointers = word_pointers(words);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0) become(pointers.data(), null, parent);
  const int failed = errno;
  ::close(null);
  if (process_ < 0) return cannot(failed);
  // Whoever of both comes first.
  ::setpgid(process_, process_);
  output_.close_input();
  error_.close_input();
  return {};
}

void Child::take(Pipe& pipe, std::string& kept, short happened) {
  if (happened == 0) return;
  if (!pipe.read(kept)) pipe.close_output();
  if (kept.size() > 2 * command_.kept_bytes) kept.erase(0, kept.size() - command_.kept_bytes);
}

void Child::hear() {
  // Closed ends are passed over.
  std::array<pollfd, 2> ends = {{{output_.output(), POLLIN, 0}, {error_.output(), POLLIN, 0}}};
  ::poll(ends.data(), ends.size(), static_cast<int>(longest_unheard.count()));
  if (output_.is_open()) take(output_, end_.output, ends[0].revents);
  if (error_.is_open()) take(error_, end_.error, ends[1].revents);
}

bool Child::has_ended() {
  int status = 0;
  if (!wait_status_ && ::waitpid(process_, &status, WNOHANG) == process_) wait_status_ = status;
  return wait_status_.has_value();
}

void Child::end_it() {
  if (!asked_) {
    asked_ = Clock::now();
    ::kill(process_, SIGTERM);
  } else if (Clock::now() - *asked_ > grace) {
    ::kill(-process_, SIGKILL);
  }
}

void Child::kill_all() {
  if (process_ <= 0) return;
  // What it has left behind ends with it.
  ::kill(-process_, SIGKILL);
  if (!wait_status_) ::waitpid(process_, nullptr, 0);
}

ChildEnd Child::follow(const std::atomic<bool>& cancelled) {
  const Clock::time_point begun = Clock::now();
  const std::chrono::duration<double> longest(command_.longest);
  while (!has_ended()) {
    hear();
    end_.cancelled = end_.cancelled || cancelled;
    end_.out_of_time = end_.out_of_time || Clock::now() - begun > longest;
    if (end_.cancelled || end_.out_of_time) end_it();
  }
  // What was written before the end is there now; others may hold the pipes open for ever.
  constexpr int most_looks = 64;
  for (int look = 0; look < most_looks; ++look) {
    const std::size_t before = end_.output.size() + end_.error.size();
    if (!output_.is_open() && !error_.is_open()) break;
    hear();
    if (end_.output.size() + end_.error.size() == before) break;
  }
  for (std::string* kept : {&end_.output, &end_.error}) {
    if (kept->size() > command_.kept_bytes) kept->erase(0, kept->size() - command_.kept_bytes);
  }
  if (WIFEXITED(*wait_status_)) end_.status = WEXITSTATUS(*wait_status_);
  if (WIFSIGNALED(*wait_status_)) end_.signal = WTERMSIG(*wait_status_);
  return std::move(end_);
}

}  // namespace

Expected<ChildEnd> run_child(const ChildCommand& command, const std::atomic<bool>& cancelled) {
  Child child(command);
  TRY(child.start());
  return child.follow(cancelled);
}

}  // namespace gprof::lsp
