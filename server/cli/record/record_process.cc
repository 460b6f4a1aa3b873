#include "server/cli/record/record_process.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <ctime>
#include <fstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/system/word_pointers.h"

namespace gprof::lsp {
namespace {

constexpr int cannot_start = 127;

// Those that the kernel sends to the whole foreground group of a terminal.
bool comes_from_terminal(int signal) {
  switch (signal) {
    case SIGINT:
    case SIGQUIT:
    case SIGHUP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCONT:
    case SIGWINCH:
      return true;
    default:
      return false;
  }
}

// Those by which a terminal, or the program itself, stops a job.
bool stops_politely(int signal) {
  return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

bool asks_for_end(int signal) {
  return signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP;
}

// All except those that cannot be blocked, and those that report this process's own faults.
sigset_t signals_to_relay() {
  sigset_t set;
  sigfillset(&set);
  for (const int signal : {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
    sigdelset(&set, signal);
  }
  return set;
}

// Writes the calling process's number after the name. `variable` has room for it.
void write_own_number(std::string& variable, std::size_t name_size) {
  char* const digits = variable.data() + name_size;
  const auto [end, error] = std::to_chars(digits, variable.data() + variable.size(), getpid());
  static_cast<void>(error);  // there is room
  *end = '\0';
}

// The number that the child writes before it gives up; 0 if its program runs.
int read_error(int descriptor) {
  int error = 0;
  ssize_t count = 0;
  do {
    count = read(descriptor, &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  return count == sizeof error ? error : 0;
}

// Above the standard streams, one of which may be closed.
bool open_pipe(std::array<int, 2>& ends) {
  std::array<int, 2> low{};
  if (pipe2(low.data(), O_CLOEXEC) != 0) return false;
  for (std::size_t i = 0; i < 2; ++i) ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  for (const int end : low) close(end);
  if (ends[0] >= 0 && ends[1] >= 0) return true;
  for (const int end : ends) {
    if (end >= 0) close(end);
  }
  errno = error;
  return false;
}

std::uint64_t cpu_time_of_children() {
  rusage usage = {};
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0) return 0;
  const auto nanoseconds = [](const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_usec) * 1000;
  };
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

// The CPU time of a process that has ended but was not waited for yet.
std::uint64_t cpu_time_of(pid_t process) {
  clockid_t clock = 0;
  timespec time = {};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// Reads how long the first thread of a process that has ended, but was not waited for, waited for a
// CPU: the second number of its schedstat. 0 if that cannot be read.
std::uint64_t cpu_wait_of(pid_t process) {
  std::ifstream figures(fmt::format("/proc/{}/schedstat", process));
  std::uint64_t on_cpu = 0;
  std::uint64_t waited = 0;
  return figures >> on_cpu >> waited ? waited : 0;
}

}  // namespace

SignalRelay::SignalRelay() : relayed_(signals_to_relay()) {
  sigprocmask(SIG_BLOCK, &relayed_, &mask_before_);
  // If SIGCHLD is inherited as ignored, the kernel discards the child's status.
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, &child_action_before_);
}

SignalRelay::~SignalRelay() {
  // Pending signals were meant for a program that has ended.
  static_cast<void>(asked_to_end());
  sigaction(SIGCHLD, &child_action_before_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool SignalRelay::asked_to_end() {
  const timespec at_once = {};
  siginfo_t signal = {};
  for (;;) {
    const int number = sigtimedwait(&relayed_, &signal, &at_once);
    if (number < 0 && errno == EINTR) continue;
    if (number < 0) return interrupted_;
    if (asks_for_end(number)) interrupted_ = true;
  }
}

ProcessEnd SignalRelay::run(std::vector<std::string> command,
                            std::vector<std::string> environment) {
  ProcessEnd end;
  std::string& recorded = environment.emplace_back("GPROF_RECORD=");
  const std::size_t name_size = recorded.size();
  recorded.resize(name_size + 24);
  const std::vector<char*> arguments = word_pointers(command);
  const std::vector<char*> variables = word_pointers(environment);
  std::array<int, 2> failure{};
  if (!open_pipe(failure)) {
    end.start_error = errno;
    return end;
  }
  const std::uint64_t cpu_time_before = cpu_time_of_children();
  const pid_t child = fork();
  if (child == 0) {
    sigaction(SIGCHLD, &child_action_before_, nullptr);
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
    write_own_number(environment.back(), name_size);
    execvpe(arguments.front(), arguments.data(), variables.data());
    const int error = errno;
    static_cast<void>(!write(failure[1], &error, sizeof error));
    _exit(cannot_start);
  }
  end.start_error = child < 0 ? errno : 0;
  close(failure[1]);
  if (child > 0) {
    end.start_error = read_error(failure[0]);
    const int start_error = end.start_error;
    end = wait_for(child);
    end.start_error = start_error;
    end.process = start_error == 0 ? child : 0;
    end.cpu_time = cpu_time_of_children() - cpu_time_before;
  }
  close(failure[0]);
  return end;
}

ProcessEnd SignalRelay::wait_for(pid_t child) {
  ProcessEnd end;
  stopped_by_ = 0;
  while (!look_after(child, end)) {
    siginfo_t signal = {};
    if (sigwaitinfo(&relayed_, &signal) < 0) continue;
    const unsigned stops_before = stops_;
    if (look_after(child, end)) break;
    // The child got it, too, as part of the group; both have stopped and continued by now.
    if (stops_ != stops_before && stops_politely(signal.si_signo)) continue;
    pass_on(signal, child);
  }
  if (end.killed && asks_for_end(end.number)) interrupted_ = true;
  end.interrupted = interrupted_;
  return end;
}

bool SignalRelay::look_after(pid_t child, ProcessEnd& end) {
  siginfo_t ended = {};
  if (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      ended.si_pid != 0) {
    end.own_cpu_time = cpu_time_of(child);
    end.cpu_wait = cpu_wait_of(child);
  }
  bool stopped = false;
  for (;;) {
    siginfo_t change = {};
    const int result =
        waitid(P_PID, static_cast<id_t>(child), &change, WEXITED | WSTOPPED | WCONTINUED | WNOHANG);
    if (result != 0 && errno == EINTR) continue;
    if (result != 0) return true;  // someone else has waited for it; nothing more to learn
    if (change.si_pid == 0) break;
    if (change.si_code == CLD_STOPPED) {
      stopped_by_ = change.si_status;
      stopped = true;
    } else if (change.si_code == CLD_CONTINUED) {
      stopped_by_ = 0;
    } else if (change.si_code != CLD_TRAPPED) {
      end.killed = change.si_code != CLD_EXITED;
      end.number = change.si_status;
      return true;
    }
  }
  if (stopped && stopped_by_ != 0) stop_with_child();
  return false;
}

void SignalRelay::pass_on(const siginfo_t& signal, pid_t child) {
  const int number = signal.si_signo;
  if (asks_for_end(number)) interrupted_ = true;
  if (number == SIGCHLD) return;
  if (number == SIGCONT) {
    // Continuing the whole group has continued the child already.
    if (stopped_by_ != 0) kill(child, SIGCONT);
    return;
  }
  const bool from_kernel = signal.si_code > 0;
  if (from_kernel && comes_from_terminal(number)) return;
  // The child means itself when it signals the group; this process signals itself only for a broken
  // pipe or a file size limit.
  if (!from_kernel && (signal.si_pid == child || signal.si_pid == getpid())) return;
  if (signal.si_code == SI_QUEUE) {
    sigqueue(child, number, signal.si_value);
  } else {
    kill(child, number);
  }
}

// Stops this process by the signal that stopped the child: a shell then sees its job stopped, and
// why.
void SignalRelay::stop_with_child() {
  sigset_t waiting;
  sigpending(&waiting);
  // The job is already continuing.
  if (sigismember(&waiting, SIGCONT) == 1) return;
  ++stops_;
  if (!stops_politely(stopped_by_)) {
    raise(SIGSTOP);
    return;
  }
  struct sigaction stop = {};
  struct sigaction before = {};
  stop.sa_handler = SIG_DFL;
  sigaction(stopped_by_, &stop, &before);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, stopped_by_);
  raise(stopped_by_);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);  // this process is stopped here
  sigprocmask(SIG_BLOCK, &only, nullptr);
  sigaction(stopped_by_, &before, nullptr);
}

void die_by_signal(int signal) {
  const rlimit none = {};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0);  // a core piped to a program ignores the limit
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

}  // namespace gprof::lsp
