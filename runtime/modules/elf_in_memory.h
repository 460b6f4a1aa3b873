// What the collector needs of a loaded ELF object, read from its own memory: where it lies, what it
// is called, which build it is. No file is opened.
//
// Thread contract: any thread, any signal handler, while the object is loaded.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>

#include "runtime/storage/live_format.h"

namespace gprof_runtime {

struct LoadedObject {
  std::uint64_t bias = 0;
  const Elf64_Phdr* program_headers = nullptr;
  std::size_t program_header_count = 0;
};

// The object whose ELF header lies at `start` and that is mapped to `end`; false where it is none.
bool read_object_at(std::uint64_t start, std::uint64_t end, LoadedObject* object);

// The executable, by what the kernel told the process of it.
bool read_executable(LoadedObject* object);

// Bias, ranges, build-id, soname and init address.
void describe_object(const LoadedObject& object, ModuleRecord* record);

}  // namespace gprof_runtime
