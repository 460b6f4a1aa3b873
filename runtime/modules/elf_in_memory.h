// What the collector needs of a loaded ELF object, read from its own memory: where it lies, what it
// is called, which build it is. No file is opened.
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

// The object whose ELF header lies at `start` and that is mapped to `end`; false where it is none.
bool read_object_at(std::uint64_t start, std::uint64_t end, ElfObject* object);

// The executable, by what the kernel told the process of it.
bool read_executable(ElfObject* object);

// Bias, ranges, build-id, soname and init address.
void describe_object(const ElfObject& object, ModuleRecord* record);

}  // namespace gprof_runtime
