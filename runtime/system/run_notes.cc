#include "runtime/system/run_notes.h"

#include <cstddef>
#include <cstdint>

#include "formats/run_notes.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

using namespace gprof_formats;

RunNotes* notes = nullptr;
// The process's CPU time that is already included in the page.
std::uint64_t added_cpu_time = 0;

std::uint64_t process_cpu_time() {
  struct {
    std::int64_t seconds;
    std::int64_t nanoseconds;
  } time = {0, 0};
  constexpr long process_clock = 2;  // CLOCK_PROCESS_CPUTIME_ID
  sys::call(__NR_clock_gettime, process_clock, sys::word(&time));
  constexpr std::uint64_t nanoseconds_a_second = 1000000000;
  return static_cast<std::uint64_t>(time.seconds) * nanoseconds_a_second +
         static_cast<std::uint64_t>(time.nanoseconds);
}

// In another IPC namespace the number may be that of a segment of somebody else's. Each is at least
// as large as the magic.
bool is_notes(const RunNotes& page) {
  for (std::size_t i = 0; i < sizeof notes_magic; ++i) {
    if (page.magic[i] != notes_magic[i]) return false;
  }
  return true;
}

char character_at(const RunNotes& page, std::size_t place) {
  return __atomic_load_n(&page.text[place], __ATOMIC_RELAXED);
}

bool has_line(const RunNotes& page, std::size_t used, const FixedText& line) {
  for (std::size_t start = 0; start + line.size() <= used; ++start) {
    if (start != 0 && character_at(page, start - 1) != '\n') continue;
    std::size_t same = 0;
    while (same < line.size() && character_at(page, start + same) == line.c_str()[same]) ++same;
    if (same == line.size()) return true;
  }
  return false;
}

}  // namespace

void open_run_notes(std::uint32_t number) {
  const sys::Result attached = sys::call(__NR_shmat, static_cast<long>(number), 0, 0);
  if (sys::failed(attached)) return;
  auto* page = reinterpret_cast<RunNotes*>(attached);
  if (is_notes(*page)) {
    notes = page;
    added_cpu_time = process_cpu_time();
  } else {
    sys::call(__NR_shmdt, sys::word(page));
  }
}

void add_run_cpu_time() {
  if (notes == nullptr) return;
  const std::uint64_t now = process_cpu_time();
  if (now > added_cpu_time) {
    __atomic_fetch_add(&notes->cpu_time, now - added_cpu_time, __ATOMIC_RELAXED);
  }
  added_cpu_time = now;
}

void restart_run_cpu_time() { added_cpu_time = 0; }

void add_run_note(const char* kind, const char* detail, const char* text) {
  if (notes == nullptr) return;
  Text<1024> line;
  line.add(kind).add(" ").add(detail).add(" ");
  for (; *text != '\0'; ++text) {
    constexpr char first_printable = ' ';
    const bool is_control = static_cast<unsigned char>(*text) < first_printable;
    const char character[2] = {is_control ? '?' : *text, '\0'};
    line.add(character);
  }
  line.add("\n");
  // A cut line would run into the next one.
  if (line.cut()) return;
  const std::uint32_t used = __atomic_load_n(&notes->used, __ATOMIC_ACQUIRE);
  if (used > sizeof notes->text || has_line(*notes, used, line)) return;
  const std::uint32_t place =
      __atomic_fetch_add(&notes->used, static_cast<std::uint32_t>(line.size()), __ATOMIC_ACQ_REL);
  if (place > sizeof notes->text || line.size() > sizeof notes->text - place) return;
  for (std::size_t i = 0; i < line.size(); ++i) {
    __atomic_store_n(&notes->text[place + i], line.c_str()[i], __ATOMIC_RELEASE);
  }
}

}  // namespace gprof_runtime
