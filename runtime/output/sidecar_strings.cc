#include "runtime/output/sidecar_strings.h"

#include <cstring>

#include "formats/hexadecimal.h"
#include "runtime/output/array_order.h"
#include "runtime/output/live_walk.h"
#include "runtime/output/output_names.h"

namespace gprof_runtime {
namespace {

constexpr std::uint32_t empty_text = 0;

// Two hexadecimal digits per byte.
using BuildIdText = Text<2 * sizeof(ModuleRecord::build_id) + 1>;

void add_build_id(FixedText& to, const ModuleRecord& record) {
  const std::size_t size = smaller<std::size_t>(record.build_id_size, sizeof record.build_id);
  each_hexadecimal_digit(record.build_id, size, [&](char digit) {
    const char text[] = {digit, '\0'};
    to.add(text);
  });
}

}  // namespace

bool SidecarStrings::collect(const Gathered& gathered, SymbolNames& symbols) {
  add("");
  collect_modules(gathered);
  collect_via_names(gathered, symbols);
  collect_thread_names(gathered);
  collect_wait_functions(gathered);
  return bytes_.complete() && modules_.complete() && via_names_.complete() &&
         thread_names_.complete() && wait_functions_.complete();
}

bool SidecarStrings::name_files(const Gathered& gathered, const char* name) {
  for (std::uint32_t i = 0; i < gathered.modules.size(); ++i) {
    if (gathered.modules[i].has_file == 0) continue;
    FileName file;
    add_gmon_name(file, last_component(name), gathered.modules, i);
    modules_[i].file = add_once(file.c_str());
  }
  return bytes_.complete();
}

std::uint32_t SidecarStrings::via_name(const ArcEntry& arc) const {
  const ViaName wanted = {arc.via_module, 0, arc.via};
  const ViaName* found =
      partition_point(via_names_.begin(), via_names_.end(),
                      [&](const ViaName& name) { return key_of(name) < key_of(wanted); });
  const bool known = (arc.flags & arc_flags::via) != 0 && found != via_names_.end() &&
                     key_of(*found) == key_of(wanted);
  return known ? found->text : empty_text;
}

std::uint32_t SidecarStrings::add(const char* text) {
  const std::size_t size = std::strlen(text) + 1;
  const std::size_t offset = bytes_.size();
  if (offset + size > 0xffffffff || !bytes_.reserve(size)) return empty_text;
  for (std::size_t i = 0; i < size; ++i) bytes_.append(text[i]);
  return static_cast<std::uint32_t>(offset);
}

std::uint32_t SidecarStrings::add_once(const char* text) {
  for (std::size_t at = 0; at < bytes_.size(); at += std::strlen(&bytes_[at]) + 1) {
    if (std::strcmp(&bytes_[at], text) == 0) return static_cast<std::uint32_t>(at);
  }
  return add(text);
}

void SidecarStrings::collect_modules(const Gathered& gathered) {
  for (std::uint32_t i = 0; i < gathered.modules.size(); ++i) {
    const Module& module = gathered.modules[i];
    BuildIdText build_id;
    add_build_id(build_id, *module.record);
    modules_.append({.path = add(module.record->path),
                     .soname = add(module.record->soname),
                     .build_id = add_once(build_id.c_str()),
                     .file = empty_text});
  }
}

// Threads that have the same name often follow one another; there are too many of them to look for
// all.
void SidecarStrings::collect_thread_names(const Gathered& gathered) {
  const char* before = "";
  std::uint32_t name = empty_text;
  for (const GatheredThread& thread : gathered.threads) {
    if (std::strcmp(thread.name, before) != 0) {
      before = thread.name;
      name = *before != '\0' ? add(before) : empty_text;
    }
    thread_names_.append(name);
  }
}

void SidecarStrings::collect_wait_functions(const Gathered& gathered) {
  std::uint32_t highest = 0;
  for (const WaitEntry& wait : gathered.waits) highest = larger(highest, wait.function);
  for (std::uint32_t i = 0; i <= highest; ++i) wait_functions_.append(empty_text);
  if (!wait_functions_.complete()) return;
  constexpr std::uint32_t is_wanted = 1;
  for (const WaitEntry& wait : gathered.waits) wait_functions_[wait.function] = is_wanted;
  each_chunk(ChunkKind::wait_functions, [&](ChunkHeader* chunk) {
    const char* text = live::entries<char>(chunk);
    const char* end = text + entries_in<char>(chunk, true);
    for (std::uint32_t i = 0; i <= highest && text < end; ++i, text += std::strlen(text) + 1) {
      if (wait_functions_[i] == is_wanted) wait_functions_[i] = add_once(text);
    }
  });
  // Where there was no room for the names.
  for (std::uint32_t& text : wait_functions_) {
    if (text == is_wanted) text = empty_text;
  }
}

void SidecarStrings::collect_via_names(const Gathered& gathered, SymbolNames& symbols) {
  for (const ArcEntry& arc : gathered.arcs) {
    if ((arc.flags & arc_flags::via) == 0 || arc.via_module == no_module) continue;
    via_names_.append({arc.via_module, empty_text, arc.via});
  }
  sort(via_names_, [](const ViaName& a, const ViaName& b) { return key_of(a) < key_of(b); });
  drop_equal_neighbours(via_names_,
                        [](const ViaName& a, const ViaName& b) { return key_of(a) == key_of(b); });
  for (ViaName& name : via_names_) {
    const Module& module = gathered.modules[name.module];
    if (module.loaded == 0) continue;
    // A call may be a function's last instruction; then it returns to the next function.
    name.text = add_once(symbols.name_of(name.address + module.record->bias - 1));
  }
}

}  // namespace gprof_runtime
