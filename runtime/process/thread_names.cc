#include "runtime/process/thread_names.h"

#include <cstdint>

#include <fcntl.h>
#include <linux/prctl.h>

#include "runtime/process/thread_state.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

constexpr std::size_t words = thread_name_size / sizeof(std::uint64_t);

struct Name {
  char text[thread_name_size];
};

// Word by word, so that a reader sees at worst two names' halves.
void store_name(ThreadRecord* record, Name name) {
  name.text[thread_name_size - 1] = '\0';
  std::uint64_t texts[words];
  __builtin_memcpy(texts, name.text, sizeof texts);
  std::uint64_t stored[words];
  __builtin_memcpy(stored, record->name, sizeof stored);
  auto* into = reinterpret_cast<std::uint64_t*>(record->name);
  for (std::size_t i = 0; i < words; ++i) {
    if (texts[i] != stored[i]) __atomic_store_n(&into[i], texts[i], __ATOMIC_RELAXED);
  }
}

}  // namespace

void note_own_name(ThreadRecord* record) {
  Name name = {};
  if (!sys::failed(sys::call(__NR_prctl, PR_GET_NAME, sys::word(name.text)))) {
    store_name(record, name);
  }
}

void note_name_of(std::uint32_t thread, ThreadRecord* record) {
  Text<64> path;
  path.add("/proc/self/task/").add(thread).add("/comm");
  const sys::Result file =
      sys::call(__NR_openat, AT_FDCWD, sys::word(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (sys::failed(file)) return;
  Name name = {};
  const sys::Result length = sys::call(__NR_read, file, sys::word(name.text), sizeof name.text);
  sys::call(__NR_close, file);
  if (sys::failed(length) || length <= 0) return;
  // The line's end.
  name.text[length - 1] = '\0';
  store_name(record, name);
}

void note_names() {
  const auto own = static_cast<std::uint32_t>(sys::call(__NR_gettid));
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    ThreadRecord* record = __atomic_load_n(&thread->record, __ATOMIC_ACQUIRE);
    if (record == nullptr || __atomic_load_n(&record->ended, __ATOMIC_ACQUIRE) != 0) continue;
    const std::uint32_t number = __atomic_load_n(&record->thread, __ATOMIC_ACQUIRE);
    if (number == own) {
      note_own_name(record);
    } else if (number != 0) {
      note_name_of(number, record);
    }
  }
}

}  // namespace gprof_runtime
