#include "runtime/system/message.h"

#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

// Set once a process by whoever comes first; any thread.
int reported = 0;

struct ErrorName {
  int number;
  const char* text;
};

// The few that files, memory and timers answer; libc's own texts may allocate and lock.
constexpr ErrorName error_names[] = {
    {1, "operation not permitted"},
    {2, "no such file or directory"},
    {4, "interrupted"},
    {5, "input/output error"},
    {11, "resource unavailable"},
    {12, "out of memory"},
    {13, "permission denied"},
    {17, "file exists"},
    {20, "not a directory"},
    {21, "is a directory"},
    {22, "invalid argument"},
    {23, "too many open files in the system"},
    {24, "too many open files"},
    {27, "file too large"},
    {28, "no space left on device"},
    {30, "read-only file system"},
    {36, "file name too long"},
    {38, "function not implemented"},
    {40, "too many symbolic links"},
    {122, "disk quota exceeded"},
};

}  // namespace

void report_problem(const char* what, const char* where, int error) {
  if (__atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED) != 0) return;
  Text<1024> line;
  line.add("gprof: ").add(what);
  if (where != nullptr && *where != '\0') line.add(": ").add(where);
  if (error != 0) {
    const char* name = nullptr;
    for (const ErrorName& known : error_names) {
      if (known.number == error) name = known.text;
    }
    if (name != nullptr) {
      line.add(": ").add(name);
    } else {
      line.add(": error ").add(static_cast<std::uint64_t>(error));
    }
  }
  line.add("\n");
  sys::call(__NR_write, 2, sys::word(line.c_str()), static_cast<long>(line.size()));
}

void allow_another_report() { __atomic_store_n(&reported, 0, __ATOMIC_RELAXED); }

}  // namespace gprof_runtime
