#include "runtime/process/counted_program.h"

#include <cstdint>
#include <cstring>

#include <fcntl.h>

#include "runtime/calls/call_overhead.h"
#include "runtime/modules/elf_in_memory.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

std::uint32_t counting = 0;  // stays in forked children

constexpr const char* system_directories[] = {"/usr/",   "/bin/", "/sbin/", "/lib/",
                                              "/lib64/", "/opt/", "/snap/", "/nix/"};

// Unknown programs are taken for the system's.
bool is_of_system() {
  char path[64] = {};
  const sys::Result length = sys::call(__NR_readlinkat, AT_FDCWD, sys::word("/proc/self/exe"),
                                       sys::word(path), sizeof path - 1);
  if (sys::failed(length)) return true;
  for (const char* directory : system_directories) {
    if (std::strncmp(path, directory, std::strlen(directory)) == 0) return true;
  }
  return false;
}

// Go's runtime takes all signals for itself, without the C library, and one that it does not expect
// kills the program.
bool is_of_go() {
  ElfObject executable;
  return read_executable(&executable) && is_made_by_go(executable);
}

}  // namespace

bool begins_when_loaded() {
  const Settings& wanted = settings();
  if (wanted.is_privileged || wanted.any == Wish::no) return false;
  if (wanted.any == Wish::automatic && is_of_system()) return false;
  if (is_of_go()) return false;
  if (is_further_process()) be_silent(true);
  return true;
}

void begin_counting() {
  if (__atomic_exchange_n(&counting, 1, __ATOMIC_RELAXED) != 0) return;
  be_silent(false);
  LiveHeader* header = live::header();
  if (header == nullptr) return;
  if (!wants_stacks()) {
    __atomic_fetch_and(&header->flags, ~process_flags::with_stacks, __ATOMIC_RELAXED);
  }
  if (settings().measure_price) header->price_picoseconds = measure_call_overhead();
}

bool counts_calls() { return __atomic_load_n(&counting, __ATOMIC_RELAXED) != 0; }

bool wants_stacks() {
  const Wish wish = settings().stacks;
  return wish == Wish::automatic ? !counts_calls() : wish == Wish::yes;
}

bool is_further_process() {
  const std::uint32_t recorded = settings().recorded_process;
  return recorded != 0 && recorded != static_cast<std::uint32_t>(sys::call(__NR_getpid));
}

}  // namespace gprof_runtime
