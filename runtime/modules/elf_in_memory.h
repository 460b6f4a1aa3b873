// Reads what the collector needs to know about a loaded ELF object from memory: address ranges,
// name and build-id. Opens no file.
//
// Thread contract: any thread, any signal handler, while the object is loaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include <elf.h>

#include "formats/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

struct ElfObject {
  std::uint64_t bias = 0;
  const Elf64_Phdr* program_headers = nullptr;
  std::size_t program_header_count = 0;
};

// Reads the object mapped from `start` to `end`; false if there is no usable ELF header at `start`.
bool read_object_at(std::uint64_t start, std::uint64_t end, ElfObject* object);

// Finds the executable through the auxiliary vector.
bool read_executable(ElfObject* object);

// Whether the object has Go's own build-id: Go's linker, and the system's on its behalf, note it.
bool is_made_by_go(const ElfObject& object);

// Fills in bias, ranges, build-id, soname and init address.
void describe_object(const ElfObject& object, ModuleRecord* record);

}  // namespace gprof_runtime
