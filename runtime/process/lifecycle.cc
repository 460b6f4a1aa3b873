#include "runtime/process/lifecycle.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/run_notes.h"
#include "runtime/blocks/block_counter.h"
#include "runtime/calls/retired_calls.h"
#include "runtime/modules/modules.h"
#include "runtime/output/write_profile.h"
#include "runtime/process/counted_program.h"
#include "runtime/process/hooks.h"
#include "runtime/process/image_number.h"
#include "runtime/process/loadable_image.h"
#include "runtime/process/lock.h"
#include "runtime/process/next_calls.h"
#include "runtime/process/signal_block.h"
#include "runtime/process/thread_names.h"
#include "runtime/process/thread_search.h"
#include "runtime/process/thread_state.h"
#include "runtime/process/thread_times.h"
#include "runtime/sampling/fatal_signals.h"
#include "runtime/sampling/sampler.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/environment.h"
#include "runtime/system/libc_functions.h"
#include "runtime/system/message.h"
#include "runtime/system/run_notes.h"
#include "runtime/system/seccomp_filter.h"
#include "runtime/system/valgrind.h"
#include "runtime/unwind/unwinder.h"
#include "runtime/waits/waits.h"

namespace gprof_runtime {
namespace {

using Phase = std::uint32_t;
constexpr Phase idle = 0;
constexpr Phase beginning = 1;
constexpr Phase active = 2;
constexpr Phase impossible = 3;

// One per process. prepare_for_threads() writes `key` and `has_key`.
struct State {
  Phase phase;
  std::uint32_t beginner;  // the thread that begins
  OwnedLock writer;
  pthread_key_t key;
  bool has_key;
  bool forked;
  bool last_written;
  std::int32_t exit_status;  // passed to exit()
};
State state;

[[gnu::tls_model("initial-exec")]] constinit thread_local std::uint64_t signals_before_fork = 0;

Phase phase() { return __atomic_load_n(&state.phase, __ATOMIC_ACQUIRE); }

void set_phase(Phase next) { __atomic_store_n(&state.phase, next, __ATOMIC_RELEASE); }

// With signals blocked.
bool begin(bool forked) {
  if (settings().is_privileged || !libc_is_glibc()) return false;
  if (!live::start()) {
    report_problem("no memory to count calls in; nothing is collected", nullptr, 0);
    return false;
  }
  const unsigned image_number = forked ? 0 : images_before_this();
  live::header()->image_number = image_number;
  if (forked) live::header()->flags |= process_flags::forked;
  if (wants_stacks()) live::header()->flags |= process_flags::with_stacks;
  choose_output_name(forked, image_number);
  modules::main_module();
  prepare_unwinding();
  sampler::start();
  if (!forked) sampler::begin_noting_crashes();  // a child has the handlers
  if (settings().waits) waits::start();
  return true;
}

bool wait_for_beginner() {
  const auto thread = static_cast<std::uint32_t>(sys::call(__NR_gettid));
  while (phase() == beginning) {
    if (__atomic_load_n(&state.beginner, __ATOMIC_RELAXED) == thread) return false;
    sys::call(__NR_sched_yield);
  }
  return phase() == active;
}

// In a forked child, glibc clears the thread-specific data of the parent's other threads before it
// reuses their stacks, but only where a flag says that there is any. It resets the flag before it
// calls the destructors of a thread. Setting the value again raises the flag; otherwise, a thread
// of a child forked meanwhile would start with what the program had left under its own keys.
void end_of_thread(void* /*state*/) {
  libc_functions().set_specific(state.key, &state);
  release_thread();
  libc_functions().set_specific(state.key, nullptr);
}

void end_by_quick_exit() { finish(Ending::exit_now, 0, true); }

void remember_status(int status, void* /*state*/) { state.exit_status = status; }

// Makes the calling thread the one that may write the profile or change its data. Waits for another
// writer, so that the process does not end before it is done, but returns false in a handler that
// interrupted the writer itself.
bool become_writer() {
  bool own = false;
  for (int attempt = 0; !state.writer.try_acquire(&own); ++attempt) {
    constexpr int patience = 10000;
    if (own || attempt == patience) return false;
    struct {
      std::int64_t seconds;
      std::int64_t nanoseconds;
    } const millisecond = {0, 1000000};
    sys::call(__NR_nanosleep, sys::word(&millisecond), 0);
  }
  return true;
}

bool anything_counted() {
  for (ChunkHeader* chunk = live::newest(); chunk != nullptr; chunk = live::next(chunk)) {
    const ChunkKind kind = kind_of(*chunk);
    if (kind == ChunkKind::arcs || kind == ChunkKind::through_arcs || kind == ChunkKind::samples ||
        kind == ChunkKind::block_counts || kind == ChunkKind::waits) {
      return true;
    }
  }
  return false;
}

// Not even an empty profile is wanted of a program that counts nothing and was only passed through.
bool has_anything_to_tell(Ending ending) {
  if (anything_counted()) return true;
  if (ending == Ending::executed) return counts_calls() && !state.forked;
  return counts_calls() || ending == Ending::dumped || !(state.forked || is_further_process());
}

}  // namespace

bool is_active() { return phase() == active; }

bool is_own_process() {
  const LiveHeader* header = live::header();
  if (header == nullptr) return false;
  const sys::Result process = sys::call(__NR_getpid);
  // A program may have forbidden itself even getpid(); then it does not fork any more, either.
  return sys::failed(process) || header->process == static_cast<std::uint32_t>(process);
}

bool activate() {
  if (is_active()) return true;
  const SignalBlock block;
  Phase expected = idle;
  if (!__atomic_compare_exchange_n(&state.phase, &expected, beginning, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    return wait_for_beginner();
  }
  __atomic_store_n(&state.beginner, static_cast<std::uint32_t>(sys::call(__NR_gettid)),
                   __ATOMIC_RELAXED);
  prepare_process();
  const bool begun = begin(false);
  set_phase(begun ? active : impossible);
  if (!begun) return false;
  sampler::note_first_mask(block.before());
  acquire_thread();
  find_threads();
  return true;
}

void load_once() {
  static std::uint32_t loaded = 0;
  // Before libc's own constructor, where the runtime of a sanitizer creates a thread.
  if (environ == nullptr || __atomic_exchange_n(&loaded, 1, __ATOMIC_RELAXED) != 0) return;
  prepare_process();
  if (begins_when_loaded()) acquire_thread();
}

void prepare_process() {
  keep_startup();
  static bool prepared = false;
  if (prepared) return;
  prepared = true;
  find_next_calls();
  seccomp::inherit(nullptr);
  read_environment();
  remember_own_linker();
  if (!libc_is_glibc()) {
    add_run_note(left_out_word, reason_libc, settings().program_name);
    return set_phase(impossible);
  }
  prepare_for_threads();
  waits::prepare();
  if (valgrind::is_running()) {
    add_run_note(left_out_word, reason_valgrind, settings().program_name);
    return set_phase(impossible);
  }
  register_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
  register_at_quick_exit(end_by_quick_exit);
  register_on_exit(remember_status, nullptr);
}

void prepare_for_threads() {
  if (__atomic_load_n(&state.has_key, __ATOMIC_ACQUIRE)) return;
  find_libc_functions();
  const auto create = libc_functions().key_create;
  if (create == nullptr || create(&state.key, end_of_thread) != 0) return;
  __atomic_store_n(&state.has_key, true, __ATOMIC_RELEASE);
}

void release_at_thread_end(ThreadPlace place) {
  // glibc preallocates room for this many keys in every thread.
  constexpr pthread_key_t keys_without_allocation = 32;
  if (!__atomic_load_n(&state.has_key, __ATOMIC_ACQUIRE)) return;
  if (place == ThreadPlace::in_handler && state.key >= keys_without_allocation) return;
  // Any non-null value makes pthread call the destructor.
  libc_functions().set_specific(state.key, &state);
}

bool finish(Ending ending, int status, bool last) {
  if (!is_active() || !is_own_process()) return false;
  const SignalBlock block;
  if (!become_writer()) return false;
  bool written = state.last_written;
  if (!written && last && !has_anything_to_tell(ending)) {
    live::remove_file();
    state.last_written = true;
  } else if (!written) {
    sampler::note_progress();
    note_names();
    note_times();
    if (settings().waits) waits::count_open();
    if (ending == Ending::returned && !last) status = state.exit_status;
    written = write_profile(ending, status);
    if (written && last) live::remove_file();
    if (written && last && is_further_process()) add_run_cpu_time();
    // If the program continues, later counts are only in the live file.
    if (!last) live::header()->state = static_cast<std::uint32_t>(LiveState::running);
    state.last_written = last;
  }
  state.writer.release();
  return written;
}

void before_exec(bool likely_to_succeed) {
  if (!is_active() || !is_own_process()) return;
  if (likely_to_succeed) {
    finish(Ending::executed, 0, true);
    state.last_written = false;
  }
  sampler::pause();
}

void after_failed_exec() {
  if (!is_active() || !is_own_process()) return;
  live::header()->state = static_cast<std::uint32_t>(LiveState::running);
  live::header()->ending = static_cast<std::uint32_t>(Ending::unknown);
  live::header()->end_time = 0;
  sampler::resume();
}

void retire_unloaded_libraries() {
  if (!is_active() || !is_own_process()) return;
  const SignalBlock block;
  if (!become_writer()) return;
  std::uint64_t ended = 0;
  if (modules::retire_unloaded(&ended)) {
    retire_calls(ended);
    blocks::retire(ended);
  }
  state.writer.release();
}

// Takes no lock: fork() waits for the locks of malloc, and a thread that holds one may have been
// interrupted by a sample, or by a handler that counts its first call, and would wait for ours.
void before_fork() { signals_before_fork = block_signals(); }

void after_fork_in_parent() { restore_signals(signals_before_fork); }

void after_fork_in_child() {
  if (phase() == beginning) set_phase(idle);  // the child does not have the beginning thread
  if (is_active()) {
    state.writer = OwnedLock{};
    state.forked = true;
    state.last_written = false;
    sampler::abandon();
    waits::abandon();
    abandon_threads();
    abandon_thread_search();
    abandon_thread_times();
    modules::abandon();
    live::abandon();
    allow_another_report();
    restart_run_cpu_time();
    set_phase(begin(true) ? active : impossible);
    acquire_thread();
  }
  restore_signals(signals_before_fork);
}

}  // namespace gprof_runtime
