#include "runtime/storage/live_file.h"

#include <cstddef>

#include "runtime/storage/held_files.h"
#include "runtime/storage/live_space.h"
#include "runtime/storage/process_facts.h"
#include "runtime/system/environment.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::live {

LiveHeader* current_header = nullptr;

namespace {

// All chunks, newest first.
ChunkHeader* newest_chunk = nullptr;

std::size_t rounded_up(std::size_t size) {
  return (size + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
}

Need need_of(ChunkKind kind, std::size_t size) {
  switch (kind) {
    case ChunkKind::stacks:
    case ChunkKind::stack_counts:
      return Need::stack;
    case ChunkKind::arcs:
    case ChunkKind::through_arcs:
    case ChunkKind::samples:
    case ChunkKind::waits:
    case ChunkKind::wait_holders:
      return size <= max_first_table_size ? Need::first : Need::larger;
    case ChunkKind::threads:
    case ChunkKind::block_counts:
      return Need::first;
    default:
      return Need::counted;
  }
}

void fill_header(std::uint32_t process) {
  LiveHeader& header = *current_header;
  header.version = live_version;
  header.header_size = live_header_size;
  header.machine = machine_number;
  header.file_size = first_region_size;
  header.process = process;
  header.parent_process = static_cast<std::uint32_t>(sys::call(__NR_getppid));
  header.process_start = process_start_ticks();
  header.start_time = realtime_nanoseconds();
  header.state = static_cast<std::uint32_t>(LiveState::running);
  header.recorded_process = settings().recorded_process;
  header.entry_address = entry_address();
  header.flags |= process_flags::marks_kernel_time;
  if (settings().live) header.flags |= process_flags::kept_readable;
  // Last, so that a reader who sees the magic sees the rest.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (std::size_t i = 0; i < sizeof live_magic; ++i) header.magic[i] = live_magic[i];
}

void note(std::uint32_t flag) {
  std::uint32_t* flags = &current_header->flags;
  if ((__atomic_load_n(flags, __ATOMIC_RELAXED) & flag) != 0) return;
  __atomic_fetch_or(flags, flag, __ATOMIC_RELAXED);
}

}  // namespace

bool start() {
  const auto process = static_cast<std::uint32_t>(sys::call(__NR_getpid));
  choose_directory();
  // A child's own directory is the current one, unless all files go to one place.
  if (*settings().output_directory == '\0') held::let_go();
  held::let_go_of_file();
  const int descriptor = create_file(process);
  const auto [base, in_file] = begin_space(descriptor, live_header_size);
  if (base != nullptr) {
    current_header = reinterpret_cast<LiveHeader*>(base);
    set_limit(settings().live_limit, in_file ? descriptor : -1, &current_header->file_size);
    fill_header(process);
    if (!in_file) current_header->flags |= process_flags::incomplete;
  }
  if (descriptor >= 0) sys::call(__NR_close, descriptor);
  if (descriptor >= 0 && !in_file) remove_file();
  return base != nullptr;
}

ChunkHeader* allocate(ChunkKind kind, std::uint32_t slot, std::size_t payload,
                      std::uint64_t capacity) {
  const Need need = need_of(kind, rounded_up(sizeof(ChunkHeader) + payload));
  return allocate_for(need, kind, slot, payload, capacity);
}

ChunkHeader* allocate_for(Need need, ChunkKind kind, std::uint32_t slot, std::size_t payload,
                          std::uint64_t capacity) {
  constexpr std::size_t absurd = std::size_t{1} << 40;
  if (current_header == nullptr || payload > absurd) return nullptr;
  const std::size_t size = rounded_up(sizeof(ChunkHeader) + payload);
  auto* chunk = reinterpret_cast<ChunkHeader*>(take_space(size, need));
  if (chunk == nullptr) {
    note(process_flags::limited);
    return nullptr;
  }
  if (is_partly_in_memory()) note(process_flags::incomplete);
  for (std::size_t i = 0; i < sizeof chunk_magic; ++i) chunk->magic[i] = chunk_magic[i];
  chunk->slot = slot;
  chunk->size = size;
  chunk->capacity = capacity;
  __atomic_store_n(&chunk->kind, static_cast<std::uint32_t>(kind), __ATOMIC_RELEASE);
  ChunkHeader* older = __atomic_load_n(&newest_chunk, __ATOMIC_RELAXED);
  do {
    chunk->next = reinterpret_cast<std::uint64_t>(older);
  } while (!__atomic_compare_exchange_n(&newest_chunk, &older, chunk, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
  return chunk;
}

ChunkHeader* newest() { return __atomic_load_n(&newest_chunk, __ATOMIC_ACQUIRE); }

void reserve_for_filter() {
  constexpr std::size_t size = std::size_t{4} << 20U;
  reserve_space(size);
}

void abandon() {
  abandon_space();
  forget_file();
  current_header = nullptr;
  newest_chunk = nullptr;
}

}  // namespace gprof_runtime::live
