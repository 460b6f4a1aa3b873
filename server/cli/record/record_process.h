// Runs a program as a shell would, with this process as its stand-in: signals sent to this process
// reach the program, stopping one stops the other, and how it ended is reported in full.
//
// Both are in one process group, so that the terminal's signals (^C, ^\, ^Z, a hang-up) reach the
// program by themselves, and are not forwarded again.
//
// Thread contract: the main thread of a single-threaded process.
#pragma once

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gprof::lsp {

struct ProcessEnd {
  pid_t process = 0;    // 0: it could not be started
  int start_error = 0;  // errno of that failure
  bool killed = false;
  int number = 0;                  // the exit status, or the signal
  std::uint64_t cpu_time = 0;      // nanoseconds, of the program and all that it waited for
  std::uint64_t own_cpu_time = 0;  // of its process alone, to its very end; 0: not known
  std::uint64_t cpu_wait = 0;  // nanoseconds that its first thread waited for a CPU; 0: not known
  bool interrupted = false;    // asked to end: do not run it again
};

// Blocks signals during its lifetime: they wait until run() forwards them.
class SignalRelay {
 public:
  SignalRelay();
  ~SignalRelay();
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

  // Starts the program (searched in PATH if it has no '/'), and returns when it has ended.
  // GPROF_RECORD, its own process number, is added to the environment.
  [[nodiscard]] ProcessEnd run(std::vector<std::string> command,
                               std::vector<std::string> environment);

  // Whether signals that ask to end arrived while no program was running.
  [[nodiscard]] bool asked_to_end();

 private:
  [[nodiscard]] ProcessEnd wait_for(pid_t child);
  // Whether the child has ended.
  bool look_after(pid_t child, ProcessEnd& end);
  void pass_on(const siginfo_t& signal, pid_t child);
  void stop_with_child();

  sigset_t relayed_{};
  sigset_t mask_before_{};
  struct sigaction child_action_before_ = {};
  int stopped_by_ = 0;  // the signal that stopped the child; 0 while it runs
  unsigned stops_ = 0;  // how often this process has stopped with the child
  bool interrupted_ = false;
};

// Ends this process by the signal, without a core file. Returns only if the signal does not kill.
void die_by_signal(int signal);

}  // namespace gprof::lsp
