#include "runtime/modules/modules.h"

#include <fcntl.h>
#include <link.h>

#include "runtime/modules/elf_in_memory.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/environment.h"
#include "runtime/system/loader.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::modules {
namespace {

constexpr std::size_t most_modules = 4096;

// Any thread may append. Two threads may record the same module at once; the second record is then
// never found.
struct State {
  ModuleRecord* records[most_modules];
  std::uint32_t count;
  ModuleRecord* executable;
  // Kept because forked children may have changed their root.
  char executable_path[module_path_size];
};
State state;

std::uint32_t recorded_count() {
  const std::uint32_t count = __atomic_load_n(&state.count, __ATOMIC_ACQUIRE);
  return count < most_modules ? count : most_modules;
}

bool holds(const ModuleRecord& record, std::uint64_t address) {
  return address >= record.low && address < record.high;
}

bool is_loaded(const ModuleRecord& record) {
  return __atomic_load_n(&record.unload_epoch, __ATOMIC_RELAXED) == still_loaded;
}

void set_path(const char* path, ModuleRecord* record) {
  FixedText absolute(record->path, sizeof record->path);
  if (*path != '/') absolute.add(live::start_directory()).add("/");
  absolute.add(path);
}

void set_executable_path(ModuleRecord* record) {
  if (state.executable_path[0] != '\0') return set_path(state.executable_path, record);
  const sys::Result length = sys::call(__NR_readlinkat, AT_FDCWD, sys::word("/proc/self/exe"),
                                       sys::word(record->path), sizeof record->path - 1);
  if (!sys::failed(length) && length > 0) {
    record->path[length] = '\0';
  } else if (const char* name = settings().program_name; *name != '\0') {
    set_path(name, record);
  }
  FixedText(state.executable_path, sizeof state.executable_path).add(record->path);
}

void name_by_path(ModuleRecord* record) {
  const char* last = record->path;
  for (const char* at = record->path; *at != '\0'; ++at) {
    if (*at == '/') last = at + 1;
  }
  std::size_t i = 0;
  for (; i + 1 < sizeof record->soname && last[i] != '\0'; ++i) record->soname[i] = last[i];
  record->soname[i] = '\0';
}

ModuleRecord* add(const ElfObject& object, const char* path, std::uint32_t flags) {
  ChunkHeader* chunk = live::allocate(ChunkKind::module, 0, sizeof(ModuleRecord), 1);
  if (chunk == nullptr) return nullptr;
  auto* record = live::entries<ModuleRecord>(chunk);
  if (path != nullptr) {
    set_path(path, record);
  } else {
    set_executable_path(record);
  }
  record->flags = flags;
  record->load_epoch = epoch();
  record->unload_epoch = still_loaded;
  describe_object(object, record);
  if (record->soname[0] == '\0') name_by_path(record);
  chunk->used = 1;
  const std::uint32_t index = __atomic_fetch_add(&state.count, 1, __ATOMIC_ACQ_REL);
  if (index < most_modules) __atomic_store_n(&state.records[index], record, __ATOMIC_RELEASE);
  return record;
}

ModuleRecord* record_library(std::uint64_t address) {
  struct dl_find_object found {};
  ElfObject object;
  if (!ask_loader(address, &found) ||
      !read_object_at(reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
                      reinterpret_cast<std::uint64_t>(found.dlfo_map_end), &object)) {
    return nullptr;
  }
  const char* path = found.dlfo_link_map != nullptr ? found.dlfo_link_map->l_name : nullptr;
  ModuleRecord* record = add(object, path != nullptr && *path != '\0' ? path : "unknown", 0);
  return record != nullptr && holds(*record, address) ? record : nullptr;
}

bool is_gone(const ModuleRecord& record) {
  struct dl_find_object found {};
  return !ask_loader(record.low, &found) ||
         reinterpret_cast<std::uint64_t>(found.dlfo_map_start) > record.low ||
         reinterpret_cast<std::uint64_t>(found.dlfo_map_end) < record.high;
}

}  // namespace

ModuleRecord* recorded(std::uint64_t address) {
  const std::uint32_t count = recorded_count();
  for (std::uint32_t i = 0; i < count; ++i) {
    ModuleRecord* record = __atomic_load_n(&state.records[i], __ATOMIC_ACQUIRE);
    if (record != nullptr && holds(*record, address) && is_loaded(*record)) return record;
  }
  return nullptr;
}

ModuleRecord* main_module() {
  ModuleRecord* known = __atomic_load_n(&state.executable, __ATOMIC_ACQUIRE);
  if (known != nullptr) return known;
  ElfObject object;
  if (!read_executable(&object)) return nullptr;
  ModuleRecord* record = add(object, nullptr, module_flags::main);
  __atomic_store_n(&state.executable, record, __ATOMIC_RELEASE);
  return record;
}

ModuleRecord* of_address(std::uint64_t address) {
  if (ModuleRecord* record = recorded(address); record != nullptr) return record;
  ModuleRecord* executable = main_module();
  if (executable != nullptr && holds(*executable, address)) return executable;
  return record_library(address);
}

const ModuleRecord* in_epoch(std::uint64_t address, std::uint64_t when, const ModuleRecord* hint) {
  const auto held = [&](const ModuleRecord& record) {
    return holds(record, address) && record.load_epoch <= when && when <= record.unload_epoch;
  };
  if (hint != nullptr && held(*hint)) return hint;
  const std::uint32_t count = recorded_count();
  for (std::uint32_t i = 0; i < count; ++i) {
    const ModuleRecord* record = __atomic_load_n(&state.records[i], __ATOMIC_ACQUIRE);
    if (record != nullptr && held(*record)) return record;
  }
  return nullptr;
}

bool retire_unloaded(std::uint64_t* ended) {
  LiveHeader* header = live::header();
  if (header == nullptr) return false;
  *ended = epoch();
  bool any = false;
  const std::uint32_t count = recorded_count();
  for (std::uint32_t i = 0; i < count; ++i) {
    ModuleRecord* record = __atomic_load_n(&state.records[i], __ATOMIC_ACQUIRE);
    if (record == nullptr || (record->flags & module_flags::main) != 0 || !is_loaded(*record))
      continue;
    if (!is_gone(*record)) continue;
    __atomic_store_n(&record->unload_epoch, *ended, __ATOMIC_RELAXED);
    any = true;
  }
  if (any) __atomic_store_n(&header->epoch, *ended + 1, __ATOMIC_RELEASE);
  return any;
}

void abandon() {
  for (ModuleRecord*& record : state.records) record = nullptr;
  state.count = 0;
  state.executable = nullptr;
}

}  // namespace gprof_runtime::modules
