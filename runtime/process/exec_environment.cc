#include "runtime/process/exec_environment.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/run_notes.h"
#include "runtime/system/message.h"
#include "runtime/system/readable.h"
#include "runtime/system/run_notes.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime {
namespace {

constexpr const char* preload_name = "LD_PRELOAD=";
// The library's file name, with or without a version behind it.
constexpr const char* library_name = "libgprof_runtime.so";
constexpr const char* usual_path = "/bin:/usr/bin";

#if defined(__NR_newfstatat)
constexpr long path_status_call = __NR_newfstatat;
#else
constexpr long path_status_call = __NR3264_fstatat;
#endif

// The rest of the text after `beginning`; null if it begins otherwise.
const char* after(const char* text, const char* beginning) {
  for (; *beginning != '\0'; ++text, ++beginning) {
    if (*text != *beginning) return nullptr;
  }
  return text;
}

// As the dynamic linker separates the entries of LD_PRELOAD.
bool is_separator(char character) { return character == ':' || character == ' '; }

// One entry of a list, from `begin` up to `end`.
struct Entry {
  const char* begin;
  const char* end;
};

// The next entry from `place` on, which may be empty; false at the end of the list.
bool next_entry(const char** place, Entry* entry) {
  const char* at = *place;
  while (is_separator(*at)) ++at;
  if (*at == '\0') return false;
  entry->begin = at;
  while (*at != '\0' && !is_separator(*at)) ++at;
  entry->end = at;
  *place = at;
  return true;
}

bool is_collector(const Entry& entry) {
  const char* name = entry.begin;
  for (const char* at = entry.begin; at != entry.end; ++at) {
    if (*at == '/') name = at + 1;
  }
  const char* const rest = after(name, library_name);
  return rest != nullptr && (rest == entry.end || (rest < entry.end && *rest == '.'));
}

// False if the path of the library leads to nothing. One without '/' is searched for by the dynamic
// linker, and '$' is replaced by it: these are taken for right.
bool can_be_opened(const Entry& entry) {
  Text<1024> path;
  path.add(entry.begin, static_cast<std::size_t>(entry.end - entry.begin));
  bool has_slash = false;
  for (const char* at = entry.begin; at != entry.end; ++at) {
    if (*at == '$') return true;
    has_slash = has_slash || *at == '/';
  }
  if (!has_slash || path.cut()) return true;
  // By the real user, and without the capabilities that the process may still have: so will the new
  // image, or else its dynamic linker ignores LD_PRELOAD without a word.
  const sys::Result result = sys::call(__NR_faccessat, AT_FDCWD, sys::word(path.c_str()), R_OK);
  constexpr sys::Result not_permitted = -1;  // also where the program's own filter forbids to look
  return !sys::failed(result) || result == not_permitted;
}

struct Collector {
  std::size_t entries = 0;  // of the environment
  std::size_t preloads =
      0;  // bytes of all values of LD_PRELOAD that have the library, zeros included
  bool is_missing = false;  // its path leads nowhere
};

// The environment may be anything, since libc leaves it to the kernel to look at it, which returns
// EFAULT. So nothing is read of a page that the kernel has not found readable.
class ReadablePages {
 public:
  bool has(const void* place) {
    const auto address = reinterpret_cast<std::uint64_t>(place);
    const std::uint64_t page = address / page_size;
    std::uint64_t& known = known_[page % (sizeof known_ / sizeof *known_)];
    if (page == 0) return false;  // as nothing is known at first
    if (known == page) return true;
    if (!ReadableMemory().covers(address, 1)) return false;
    known = page;
    return true;
  }
  bool has_text(const char* text) {
    for (const char* at = text; has(at); ++at) {
      if (*at == '\0') return true;
    }
    return false;
  }
  // Whether it begins so; false as well if it cannot be read.
  bool begins_with(const char* text, const char* beginning) {
    for (; *beginning != '\0'; ++text, ++beginning) {
      if (!has(text) || *text != *beginning) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t page_size = 4096;
  std::uint64_t known_[32] = {};
};

// One that cannot be read has no collector.
Collector find_collector(char* const* environment) {
  Collector found;
  ReadablePages pages;
  for (;; ++found.entries) {
    char* const* const entry_place = environment + found.entries;
    constexpr std::size_t last_byte = sizeof(char*) - 1;
    if (!pages.has(entry_place) ||
        !pages.has(reinterpret_cast<const char*>(entry_place) + last_byte)) {
      return {};
    }
    const char* const text = *entry_place;
    if (text == nullptr) return found;
    if (!pages.begins_with(text, preload_name)) continue;
    if (!pages.has_text(text)) return {};
    const char* place = after(text, preload_name);
    bool has_collector = false;
    for (Entry entry; next_entry(&place, &entry);) {
      if (!is_collector(entry)) continue;
      has_collector = true;
      found.is_missing = found.is_missing || !can_be_opened(entry);
    }
    if (has_collector) found.preloads += static_cast<std::size_t>(place - text) + 2;
  }
}

// Size in bytes of the environment without the library.
std::size_t room_for(const Collector& collector) {
  return (collector.entries + 1) * sizeof(char*) + collector.preloads;
}

bool can_execute(const ExecImage& image) {
  return (image.flags & AT_EMPTY_PATH) != 0 ||
         !sys::failed(sys::call(__NR_faccessat, image.directory, sys::word(image.path), X_OK));
}

// Null: it is not.
const char* why_left_out(const ExecImage& image, bool is_missing) {
  if (is_missing) return gprof_formats::reason_root;
  const Fit fit = fit_of_image(image.directory, image.path, image.flags);
  switch (fit) {
    case Fit::other_libc:
      return gprof_formats::reason_libc;
    case Fit::old_libc:
      return gprof_formats::reason_old_libc;
    case Fit::other_machine:
      return gprof_formats::reason_machine;
    default:
      return nullptr;
  }
}

void note_left_out(const ExecImage& image, const char* reason) {
  if (*image.path != '\0') {
    return add_run_note(gprof_formats::left_out_word, reason, image.path);
  }
  char name[512];
  Text<64> link;
  link.add("/proc/self/fd/").add(static_cast<std::uint64_t>(image.directory));
  const sys::Result length = sys::call(__NR_readlinkat, AT_FDCWD, sys::word(link.c_str()),
                                       sys::word(name), static_cast<long>(sizeof name - 1));
  name[sys::failed(length) ? 0 : length] = '\0';
  add_run_note(gprof_formats::left_out_word, reason, *name != '\0' ? name : link.c_str());
}

// Appends the value of LD_PRELOAD without the collector. Returns the end, or null if nothing is
// left.
char* copy_without_collector(const char* text, char* to) {
  const char* place = after(text, preload_name);
  bool is_first = true;
  for (const char* name = preload_name; *name != '\0'; ++name) *to++ = *name;
  for (Entry entry; next_entry(&place, &entry);) {
    if (is_collector(entry)) continue;
    if (!is_first) *to++ = entry.begin[-1];
    is_first = false;
    for (const char* at = entry.begin; at != entry.end; ++at) *to++ = *at;
  }
  *to++ = '\0';
  return is_first ? nullptr : to;
}

bool has_collector(const char* text) {
  const char* place = after(text, preload_name);
  if (place == nullptr) return false;
  for (Entry entry; next_entry(&place, &entry);) {
    if (is_collector(entry)) return true;
  }
  return false;
}

// Whether all of the environment can be read; the kernel refuses any other.
bool is_readable(char* const* environment) {
  ReadableMemory words;
  ReadableMemory texts;
  for (;; ++environment) {
    std::uint64_t text = 0;
    if (!words.read(reinterpret_cast<std::uint64_t>(environment), &text)) return false;
    if (text == 0) return true;
    do {
      if (!texts.covers(text, 1)) return false;
    } while (ReadableMemory::read_byte_unchecked(text++) != 0);
  }
}

struct Room {
  void* memory;
  std::size_t size;
};
thread_local constinit Room kept_room = {};

// 1 once the library was removed from the process's own environment.
std::uint32_t left_out_of_own = 0;

}  // namespace

std::size_t room_for_environment(const ExecImage& image, char* const* environment) {
  if (environment == nullptr || image.path == nullptr || !is_readable(environment)) return 0;
  const Collector collector = find_collector(environment);
  if (collector.preloads == 0) {
    const bool had_it = __atomic_load_n(&left_out_of_own, __ATOMIC_RELAXED) != 0;
    if (had_it && can_execute(image)) note_left_out(image, gprof_formats::reason_root);
    return 0;
  }
  const char* const reason = why_left_out(image, collector.is_missing);
  if (reason == nullptr) return 0;
  if (can_execute(image)) note_left_out(image, reason);
  return room_for(collector);
}

char* const* adapted_environment(char* const* environment, void* room, std::size_t size) {
  std::size_t entries = 0;
  while (environment[entries] != nullptr) ++entries;
  auto** const words = static_cast<char**>(room);
  auto* text = reinterpret_cast<char*>(words + entries + 1);
  const char* const end = static_cast<char*>(room) + size;
  std::size_t count = 0;
  ReadablePages pages;
  for (std::size_t i = 0; i < entries; ++i) {
    if (!pages.begins_with(environment[i], preload_name) || !has_collector(environment[i]) ||
        text >= end) {
      words[count++] = environment[i];
      continue;
    }
    char* const next = copy_without_collector(environment[i], text);
    if (next == nullptr) continue;
    words[count++] = text;
    text = next;
  }
  words[count] = nullptr;
  return words;
}

void leave_out_of_own_environment() {
  if (environ == nullptr || !is_readable(environ)) return;
  const Collector collector = find_collector(environ);
  if (collector.preloads == 0 || !collector.is_missing) return;
  // Never unmapped: from now on this is the program's environment, which any thread may read.
  const std::size_t size = room_for(collector);
  const sys::Result mapped = sys::call(__NR_mmap, 0, static_cast<long>(size),
                                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys::failed(mapped)) return;
  char* const* const adapted = adapted_environment(environ, reinterpret_cast<void*>(mapped), size);
  __atomic_store_n(&environ, const_cast<char**>(adapted), __ATOMIC_RELEASE);
  __atomic_store_n(&left_out_of_own, 1, __ATOMIC_RELAXED);
}

void* thread_room(std::size_t size) {
  constexpr std::size_t multiple = 65536;
  if (size <= kept_room.size) return kept_room.memory;
  const std::size_t rounded = (size + multiple - 1) / multiple * multiple;
  const sys::Result mapped = sys::call(__NR_mmap, 0, static_cast<long>(rounded),
                                       PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (sys::failed(mapped)) return nullptr;
  if (kept_room.memory != nullptr) {
    sys::call(__NR_munmap, sys::word(kept_room.memory), static_cast<long>(kept_room.size));
  }
  kept_room = {reinterpret_cast<void*>(mapped), rounded};
  return kept_room.memory;
}

const char* find_in_path(const char* name, char* buffer, std::size_t size) {
  if (name == nullptr || *name == '\0') return nullptr;
  for (const char* at = name; *at != '\0'; ++at) {
    if (*at == '/') return name;
  }
  const char* place = getenv("PATH");
  if (place == nullptr) place = usual_path;
  for (;; ++place) {
    FixedText path(buffer, size);
    const char* const begin = place;
    while (*place != '\0' && *place != ':') ++place;
    path.add(begin, static_cast<std::size_t>(place - begin));
    if (path.size() > 0) path.add("/");
    path.add(name);
    struct stat status {};
    const bool is_file = !path.cut() &&
                         !sys::failed(sys::call(path_status_call, AT_FDCWD, sys::word(buffer),
                                                sys::word(&status), 0)) &&
                         S_ISREG(status.st_mode);
    if (is_file && !sys::failed(sys::call(__NR_faccessat, AT_FDCWD, sys::word(buffer), X_OK))) {
      return buffer;
    }
    if (*place == '\0') return nullptr;
  }
}

}  // namespace gprof_runtime
