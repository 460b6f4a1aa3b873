#include "runtime/sampling/fatal_signals.h"

#include <cstddef>
#include <cstdint>

#include <ucontext.h>

#include "runtime/process/counted_program.h"
#include "runtime/sampling/crash_note.h"
#include "runtime/sampling/interrupted.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/sampler.h"
#include "runtime/system/syscalls.h"
#include "runtime/system/tracer.h"

namespace gprof_runtime::sampler {
namespace {

constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t fatal_count = sizeof fatal_signals / sizeof *fatal_signals;

// What was there before; written before a handler of ours is in place.
KernelAction default_actions[fatal_count];

KernelAction default_action_of(int signal) {
  for (std::size_t i = 0; i < fatal_count; ++i) {
    if (fatal_signals[i] == signal) return default_actions[i];
  }
  return {};
}

// Other processes may send any signal.
bool is_caused_here(const siginfo_t& info) {
  if (info.si_code > 0) return true;
  const bool is_sent = info.si_code == SI_TKILL || info.si_code == SI_USER;
  return is_sent && info.si_pid == static_cast<pid_t>(sys::call(__NR_getpid));
}

Crash crash_of(int signal, const siginfo_t& info) {
  // The kernel names no address where an access was not by one, as of a non-canonical one.
  const bool has_address =
      (signal == SIGSEGV || signal == SIGBUS) && info.si_code > 0 && info.si_code != SI_KERNEL;
  return {.signal = signal,
          .code = info.si_code,
          .address = has_address ? reinterpret_cast<std::uint64_t>(info.si_addr) : 0};
}

// Whether the instruction that the handler returns to faults once more. The kernel may report bad
// memory before the program touches it.
bool faults_again(int signal, const siginfo_t& info) {
  constexpr int bad_memory = 4;  // BUS_MCEERR_AR, and all further ones
  return info.si_code > 0 && (signal != SIGBUS || info.si_code < bad_memory);
}

// Takes effect when the handler returns, as the handler blocks all signals.
void send_again(int signal, const siginfo_t& info) {
  const long process = sys::call_always(__NR_getpid);
  const long thread = sys::call_always(__NR_gettid);
  const sys::Result sent =
      sys::call_always(__NR_rt_tgsigqueueinfo, process, thread, signal, sys::word(&info));
  if (sys::failed(sent)) sys::call_always(__NR_tgkill, process, thread, signal);
}

void on_fatal_signal(int signal, siginfo_t* info, void* context) {
  if (is_caused_here(*info)) {
    Registers registers;
    read_registers(*static_cast<const ucontext_t*>(context), &registers);
    note_crash(crash_of(signal, *info), registers);
  }
  write_action(signal, default_action_of(signal));
  if (!faults_again(signal, *info)) send_again(signal, *info);
}

KernelAction own_action() {
  KernelAction action = {};
  action.handler = reinterpret_cast<std::uint64_t>(&on_fatal_signal);
  action.flags = SA_SIGINFO | SA_ONSTACK;
  action.mask = every_signal;
  return action;
}

bool is_own(const KernelAction& action) {
  return action.handler == reinterpret_cast<std::uint64_t>(&on_fatal_signal);
}

}  // namespace

// A tracer would see each crash twice; where there is one, there is no signal for samples.
void begin_noting_crashes() {
  if (!wants_stacks() || (tick_signal() == 0 && has_tracer())) return;
  for (std::size_t i = 0; i < fatal_count; ++i) {
    KernelAction before = {};
    if (!read_action(fatal_signals[i], &before) || before.handler != default_action) continue;
    default_actions[i] = before;
    write_action(fatal_signals[i], own_action());
  }
}

void give_up_noting_crashes() {
  for (std::size_t i = 0; i < fatal_count; ++i) {
    KernelAction action = {};
    if (read_action(fatal_signals[i], &action) && is_own(action)) {
      write_action(fatal_signals[i], default_actions[i]);
    }
  }
}

bool program_handles(int signal) {
  KernelAction action = {};
  return read_action(signal, &action) && action.handler != default_action &&
         action.handler != ignored_action && !is_own(action);
}

void hide_fatal_action(int signal, struct sigaction* action) {
  if (action == nullptr || action->sa_sigaction != &on_fatal_signal) return;
  const KernelAction hidden = default_action_of(signal);
  *action = {};
  action->sa_flags = static_cast<int>(hidden.flags);
  set_mask(&action->sa_mask, hidden.mask);
}

sighandler_t hidden_fatal_handler(sighandler_t handler) {
  return reinterpret_cast<std::uint64_t>(handler) ==
                 reinterpret_cast<std::uint64_t>(&on_fatal_signal)
             ? SIG_DFL
             : handler;
}

}  // namespace gprof_runtime::sampler
