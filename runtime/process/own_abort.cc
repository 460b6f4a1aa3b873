// What libc's archive defines in the same member as abort(). If a static program took it from
// there, it would have two definitions of abort().
#include <asm/unistd.h>
#include <signal.h>

#include "runtime/process/hooks.h"
#include "runtime/system/syscalls.h"

namespace {

namespace sys = gprof_runtime::sys;

void change_mask(int how, const std::uint64_t* to, std::uint64_t* before) {
  sys::call_always(__NR_rt_sigprocmask, how, sys::word(to), sys::word(before), sizeof *to);
}

void block_all(std::uint64_t* before) {
  const std::uint64_t all = ~std::uint64_t{0};
  change_mask(SIG_BLOCK, &all, before);
}

}  // namespace

extern "C" {

extern void* __abort_msg;
void* __abort_msg = nullptr;

// Since glibc 2.41, what starts a process or changes a signal's action has the signals blocked by
// these, and takes a lock, by which abort() keeps others from changing the action of SIGABRT. The
// abort() of this library asks for no lock: if the action was changed, it ends the process all the
// same.
void __abort_lock_rdlock(std::uint64_t* before);
void __abort_lock_wrlock(std::uint64_t* before);
void __abort_lock_unlock(const std::uint64_t* before);
void __abort_lock_rdlock(std::uint64_t* before) { block_all(before); }
void __abort_lock_wrlock(std::uint64_t* before) { block_all(before); }
void __abort_lock_unlock(const std::uint64_t* before) { change_mask(SIG_SETMASK, before, nullptr); }
}

void gprof_runtime::keep_own_abort() {}
