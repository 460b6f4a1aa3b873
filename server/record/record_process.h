// Runs a program as a shell would run it, with this process standing in for it: signals that are
// sent to this process alone reach the program, stopping the one stops the other, and its end is
// told in full.
//
// Both are in one process group, so that what the terminal sends (^C, ^\, ^Z, a hang-up) reaches
// the program without help, and is not sent to it a second time.
//
// Thread contract: the main thread of a process that has no other.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include <sys/types.h>

namespace gprof::lsp {

struct ProcessEnd {
  pid_t process = 0;    // 0: it could not be started
  int start_error = 0;  // errno of what failed then
  bool killed = false;
  int number = 0;            // the exit status, or the signal
  bool interrupted = false;  // somebody wanted it to end: no reason to run it again
};

// Holds signals back as long as it lives: they wait until run() passes them on.
class SignalRelay {
 public:
  SignalRelay();
  ~SignalRelay();
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

  // Starts the program (searched in PATH where it has no '/'), and returns when it has ended.
  // GPROF_RECORD, its own process number, is added to the environment.
  [[nodiscard]] ProcessEnd run(std::vector<std::string> command,
                               std::vector<std::string> environment);

  // Whether somebody has asked for the end since: signals that arrived with no program running.
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

// Ends this process by the signal, without a core file of its own. Returns only where the signal
// does not kill.
void die_by_signal(int signal);

}  // namespace gprof::lsp
