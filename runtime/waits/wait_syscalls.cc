#include "runtime/waits/wait_syscalls.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include "runtime/waits/wait_log.h"

namespace gprof_runtime::waits {
namespace {

bool is_futex_wait(long operation) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
    case FUTEX_WAIT_REQUEUE_PI:
    case 13:  // FUTEX_LOCK_PI2, since Linux 5.14
      return true;
    default:
      return false;
  }
}

}  // namespace

long measured_syscall(long (*next)(long, ...), std::uint64_t place, long number, long a, long b,
                      long c, long d, long e, long f) {
  const bool is_futex = number == SYS_futex;
  if (!measures_waits() || (is_futex && !is_futex_wait(b))) return next(number, a, b, c, d, e, f);
  const Function function = is_futex ? Function::futex : Function::io_uring_enter;
  const Wait wait = begin_wait(function, facts_of(function).kind, place);
  const long result = next(number, a, b, c, d, e, f);
  end_wait(wait);
  return result;
}

}  // namespace gprof_runtime::waits
