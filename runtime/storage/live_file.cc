#include "runtime/storage/live_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "runtime/storage/file_space.h"
#include "runtime/storage/held_files.h"
#include "runtime/storage/process_facts.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::live {

LiveHeader* current_header = nullptr;

namespace {

constexpr std::size_t page_multiple = 65536;  // a multiple of every page size of Linux
constexpr std::size_t first_region_size = 4 * page_multiple;
constexpr std::size_t largest_usual_region = 256 * page_multiple;
constexpr std::size_t region_limit = 1024;
constexpr std::size_t header_size = chunk_alignment;

// A piece of the file, or of anonymous memory, that chunks are cut from.
struct Region {
  std::uint8_t* base;
  std::size_t size;
  std::size_t used;
};

// One per process. Regions are appended and never moved. Any thread may set `current`; a region
// that is no longer current merely has unused space.
struct State {
  ChunkHeader* newest;
  Region regions[region_limit];
  std::uint32_t region_count;
  Region* current;
  std::uint32_t file_lost;  // no further space in the file
  std::uint64_t device;
  std::uint64_t inode;
  char directory[4096];
  char path[4096];
};
State state;

std::size_t round_up(std::size_t size, std::size_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

std::uint8_t* map(std::size_t size, int descriptor, std::uint64_t offset) {
  const int flags = descriptor >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  const sys::Result result =
      sys::call(__NR_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE, flags, descriptor,
                static_cast<long>(offset));
  return sys::failed(result) ? nullptr : reinterpret_cast<std::uint8_t*>(result);
}

// Whether the descriptor refers to the file that start() created.
bool is_own_file(int descriptor) {
  struct stat status {};
  return !sys::failed(sys::call(file_status_call, descriptor, sys::word(&status))) &&
         status.st_dev == state.device && status.st_ino == state.inode;
}

// If paths have another meaning by now, names are relative to the directory held open.
int directory_of_names() {
  const int directory = held::directory();
  return directory >= 0 ? directory : AT_FDCWD;
}

// The file's path, for directory_of_names().
const char* own_name(int directory) {
  const char* name = state.path;
  if (directory == AT_FDCWD) return name;
  for (const char* at = name; *at != '\0'; ++at) {
    if (*at == '/') name = at + 1;
  }
  return name;
}

int open_own_file() {
  const int directory = directory_of_names();
  return static_cast<int>(sys::call(__NR_openat, directory, sys::word(own_name(directory)),
                                    O_RDWR | O_CLOEXEC | O_NOFOLLOW));
}

// Maps the next `size` bytes of the file; null if it cannot grow.
std::uint8_t* map_file_space(std::size_t size) {
  if (state.path[0] == '\0' || __atomic_load_n(&state.file_lost, __ATOMIC_RELAXED) != 0) {
    return nullptr;
  }
  const int held_file = held::file();
  const int descriptor = held_file >= 0 ? held_file : open_own_file();
  if (descriptor < 0) return nullptr;
  std::uint8_t* base = nullptr;
  if (is_own_file(descriptor)) {
    const std::uint64_t offset =
        __atomic_fetch_add(&current_header->file_size, size, __ATOMIC_RELAXED);
    if (reserve_file_space(descriptor, offset, size)) base = map(size, descriptor, offset);
  }
  if (held_file < 0) sys::call(__NR_close, descriptor);
  return base;
}

Region* publish(std::uint8_t* base, std::size_t size, std::size_t used) {
  const std::uint32_t index = __atomic_fetch_add(&state.region_count, 1, __ATOMIC_RELAXED);
  if (index >= region_limit) {
    __atomic_fetch_sub(&state.region_count, 1, __ATOMIC_RELAXED);
    sys::call(__NR_munmap, sys::word(base), static_cast<long>(size));
    return nullptr;
  }
  Region* region = &state.regions[index];
  region->base = base;
  region->size = size;
  region->used = used;
  return region;
}

Region* add_region(std::size_t needed) {
  // Later regions are larger, so that their number stays small.
  const std::uint32_t count = __atomic_load_n(&state.region_count, __ATOMIC_RELAXED);
  std::size_t usual = first_region_size << (count / 8 < 6 ? count / 8 : 6);
  if (usual > largest_usual_region) usual = largest_usual_region;
  const std::size_t size = round_up(needed > usual ? needed : usual, page_multiple);
  std::uint8_t* base = map_file_space(size);
  if (base == nullptr) {
    base = map(size, -1, 0);
    if (base == nullptr) return nullptr;
    __atomic_store_n(&state.file_lost, 1, __ATOMIC_RELAXED);
    __atomic_fetch_or(&current_header->flags, process_flags::incomplete, __ATOMIC_RELAXED);
  }
  return publish(base, size, needed);
}

std::uint8_t* take(std::size_t size) {
  Region* region = __atomic_load_n(&state.current, __ATOMIC_ACQUIRE);
  if (region != nullptr && size <= region->size) {
    const std::size_t offset = __atomic_fetch_add(&region->used, size, __ATOMIC_RELAXED);
    if (offset <= region->size - size) return region->base + offset;
  }
  Region* fresh = add_region(size);
  if (fresh == nullptr) return nullptr;
  if (fresh->size > size) __atomic_store_n(&state.current, fresh, __ATOMIC_RELEASE);
  return fresh->base;
}

// Makes new space the region that chunks are cut from.
void use_region(std::uint8_t* base, std::size_t size) {
  Region* region = publish(base, size, 0);
  if (region != nullptr) __atomic_store_n(&state.current, region, __ATOMIC_RELEASE);
}

void choose_directory() {
  const char* wanted = settings().output_directory;
  if (*wanted != '\0') {
    FixedText directory(state.directory, sizeof state.directory);
    directory.add(wanted);
    if (directory.cut()) state.directory[0] = '\0';
    return;
  }
  const sys::Result length =
      sys::call(__NR_getcwd, sys::word(state.directory), sizeof state.directory);
  // The kernel marks a directory that is unreachable from the root by a prefix in brackets.
  if (sys::failed(length) || state.directory[0] != '/') state.directory[0] = '\0';
}

// Creates `gmon.live.PID`, or `gmon.live.PID.N` if an earlier process left a file of that name.
int create_file(std::uint32_t process) {
  constexpr unsigned most_attempts = 100;
  const int mode = settings().live ? 0644 : 0600;
  for (unsigned attempt = 0; attempt < most_attempts; ++attempt) {
    FixedText path(state.path, sizeof state.path);
    path.add(state.directory).add("/gmon.live.").add(process);
    if (attempt > 0) path.add(".").add(attempt);
    if (state.directory[0] == '\0' || path.cut()) break;
    const int directory = directory_of_names();
    const sys::Result opened = sys::call(__NR_openat, directory, sys::word(own_name(directory)),
                                         O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (!sys::failed(opened)) return static_cast<int>(opened);
    constexpr sys::Result file_exists = -17;
    if (opened != file_exists) break;
  }
  state.path[0] = '\0';
  return -1;
}

std::uint8_t* map_first_region(int descriptor) {
  struct stat status {};
  if (sys::failed(sys::call(file_status_call, descriptor, sys::word(&status)))) return nullptr;
  state.device = status.st_dev;
  state.inode = status.st_ino;
  if (!reserve_file_space(descriptor, 0, first_region_size)) return nullptr;
  return map(first_region_size, descriptor, 0);
}

void fill_header(std::uint32_t process) {
  LiveHeader& header = *current_header;
  header.version = live_version;
  header.header_size = header_size;
  header.machine = machine_number;
  header.file_size = first_region_size;
  header.process = process;
  header.parent_process = static_cast<std::uint32_t>(sys::call(__NR_getppid));
  header.process_start = process_start_ticks();
  header.start_time = realtime_nanoseconds();
  header.state = static_cast<std::uint32_t>(LiveState::running);
  header.recorded_process = settings().recorded_process;
  header.entry_address = entry_address();
  if (settings().live) header.flags |= process_flags::kept_readable;
  // Last, so that a reader who sees the magic sees the rest.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (std::size_t i = 0; i < sizeof live_magic; ++i) header.magic[i] = live_magic[i];
}

}  // namespace

bool start() {
  const auto process = static_cast<std::uint32_t>(sys::call(__NR_getpid));
  choose_directory();
  // A child's own directory is the current one, unless all files go to one place.
  if (*settings().output_directory == '\0') held::let_go();
  held::let_go_of_file();
  std::uint8_t* base = nullptr;
  const int descriptor = create_file(process);
  if (descriptor >= 0) {
    base = map_first_region(descriptor);
    sys::call(__NR_close, descriptor);
    if (base == nullptr) remove_file();
  }
  const bool in_file = base != nullptr;
  if (!in_file) base = map(first_region_size, -1, 0);
  if (base == nullptr) return false;
  current_header = reinterpret_cast<LiveHeader*>(base);
  state.current = publish(base, first_region_size, header_size);
  fill_header(process);
  if (!in_file) {
    state.file_lost = 1;
    current_header->flags |= process_flags::incomplete;
  }
  return true;
}

ChunkHeader* allocate(ChunkKind kind, std::uint32_t slot, std::size_t payload,
                      std::uint64_t capacity) {
  constexpr std::size_t absurd = std::size_t{1} << 40;
  if (current_header == nullptr || payload > absurd) return nullptr;
  const std::size_t size = round_up(sizeof(ChunkHeader) + payload, chunk_alignment);
  auto* chunk = reinterpret_cast<ChunkHeader*>(take(size));
  if (chunk == nullptr) return nullptr;
  for (std::size_t i = 0; i < sizeof chunk_magic; ++i) chunk->magic[i] = chunk_magic[i];
  chunk->slot = slot;
  chunk->size = size;
  chunk->capacity = capacity;
  __atomic_store_n(&chunk->kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELEASE);
  ChunkHeader* older = __atomic_load_n(&state.newest, __ATOMIC_RELAXED);
  do {
    chunk->next = reinterpret_cast<std::uint64_t>(older);
  } while (!__atomic_compare_exchange_n(&state.newest, &older, chunk, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
  return chunk;
}

ChunkHeader* newest() { return __atomic_load_n(&state.newest, __ATOMIC_ACQUIRE); }

void reserve_for_filter() {
  constexpr std::size_t size = 64 * page_multiple;
  if (std::uint8_t* base = map_file_space(size); base != nullptr) use_region(base, size);
}

const char* start_directory() { return state.directory; }

const char* path() { return state.path; }

void remove_file() {
  const int directory = directory_of_names();
  if (state.path[0] != '\0') sys::call(__NR_unlinkat, directory, sys::word(own_name(directory)), 0);
  state.path[0] = '\0';
}

void abandon() {
  const std::uint32_t count = state.region_count < region_limit ? state.region_count : region_limit;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Region& region = state.regions[i];
    sys::call(__NR_munmap, sys::word(region.base), static_cast<long>(region.size));
    state.regions[i] = Region{};
  }
  current_header = nullptr;
  state.newest = nullptr;
  state.region_count = 0;
  state.current = nullptr;
  state.file_lost = 0;
  state.path[0] = '\0';
}

}  // namespace gprof_runtime::live
