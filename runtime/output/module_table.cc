#include "runtime/output/module_table.h"

#include <cstring>

#include "runtime/modules/modules.h"
#include "runtime/output/live_walk.h"

namespace gprof_runtime {
namespace {

std::uint64_t link_time(const ModuleRecord& record, std::uint64_t address) {
  return address == 0 ? 0 : address - record.bias;
}

bool same_build(const ModuleRecord& a, const ModuleRecord& b) {
  return a.build_id_size == b.build_id_size &&
         std::memcmp(a.build_id, b.build_id, sizeof a.build_id) == 0 &&
         link_time(a, a.text_low) == link_time(b, b.text_low) &&
         link_time(a, a.text_high) == link_time(b, b.text_high) &&
         std::strncmp(a.path, b.path, sizeof a.path) == 0 &&
         std::strncmp(a.soname, b.soname, sizeof a.soname) == 0;
}

bool is_loaded(const ModuleRecord& record) {
  return __atomic_load_n(&record.unload_epoch, __ATOMIC_RELAXED) == still_loaded;
}

}  // namespace

bool ModuleTable::collect() {
  epoch_ = modules::epoch();
  const ModuleRecord* executable = modules::main_module();
  if (executable == nullptr) return false;
  number_of(executable);
  // Chunks come newest first; modules are numbered in the order in which they were recorded.
  AnonymousArray<const ModuleRecord*> newest_first;
  each_chunk(ChunkKind::module, [&](ChunkHeader* chunk) {
    // A record still being filled in is not in use yet.
    if (read_live(chunk->used) != 0) newest_first.append(live::entries<ModuleRecord>(chunk));
  });
  for (std::size_t i = newest_first.size(); i-- > 0;) number_of(newest_first[i]);
  return newest_first.complete() && complete() && size() != 0;
}

ModuleAddress ModuleTable::resolve(std::uint64_t address, std::uint64_t epoch) {
  const ModuleRecord* record = modules::in_epoch(address, epoch, last_);
  if (record == nullptr && epoch == epoch_) record = modules::of_address(address);
  const std::uint32_t module = record == nullptr ? no_module : number_of(record);
  if (module == no_module) return {no_module, address};
  return {module, address - record->bias};
}

std::uint32_t ModuleTable::number_of(const ModuleRecord* record) {
  if (record == last_ && last_module_ != no_module) return last_module_;
  std::uint32_t module = no_module;
  for (const Record& known : records_) {
    if (known.record == record) module = known.module;
  }
  if (module == no_module) module = add(record);
  last_ = record;
  last_module_ = module;
  return module;
}

std::uint32_t ModuleTable::add(const ModuleRecord* record) {
  for (std::uint32_t i = 0; i < size(); ++i) {
    Module& module = modules_[i];
    if (!same_build(*module.record, *record)) continue;
    module.flags |= record->flags;
    if (record->load_epoch >= module.record->load_epoch) {
      module.record = record;
      module.loaded = is_loaded(*record) ? 1 : 0;
    }
    return records_.append({record, i}) ? i : no_module;
  }
  const Module module = {.record = record,
                         .text_low = link_time(*record, record->text_low),
                         .text_high = link_time(*record, record->text_high),
                         .init_address = link_time(*record, record->init_address),
                         .flags = record->flags,
                         .loaded = is_loaded(*record) ? 1U : 0U,
                         .has_file = 0,
                         .file_number = 0};
  const std::uint32_t number = size();
  if (!modules_.append(module) || !records_.append({record, number})) return no_module;
  return number;
}

}  // namespace gprof_runtime
