#include "runtime/system/link_maps.h"

#include <cstddef>

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include "runtime/system/readable.h"

// Declared again as weak: a static program may have none.
// NOLINTNEXTLINE(readability-redundant-declaration)
extern struct r_debug _r_debug __attribute__((weak));

namespace gprof_runtime {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::size_t most_objects = 65536;
constexpr std::size_t most_program_headers = 256;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

struct Segments {
  const Elf64_Phdr* first = nullptr;
  std::size_t count = 0;
};

// The executable's, from the kernel: its list entry has no address if it is not relocatable.
Segments segments_of_executable() {
  const std::uint64_t count = getauxval(AT_PHNUM);
  if (count > most_program_headers) return {};
  return {reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR)), count};
}

// A library's, after the header with which its file begins. Only those on the first page: more may
// not be mapped.
Segments segments_of_library(std::uint64_t start, ReadableMemory& memory) {
  if (!memory.covers(start, sizeof(Elf64_Ehdr))) return {};
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(start);
  const bool is_elf = header.e_ident[EI_MAG0] == ELFMAG0 && header.e_ident[EI_MAG1] == ELFMAG1 &&
                      header.e_ident[EI_MAG2] == ELFMAG2 && header.e_ident[EI_MAG3] == ELFMAG3;
  const std::uint64_t size = header.e_phnum * sizeof(Elf64_Phdr);
  if (!is_elf || header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > page ||
      size > page - header.e_phoff) {
    return {};
  }
  return {reinterpret_cast<const Elf64_Phdr*>(start + header.e_phoff), header.e_phnum};
}

struct Bounds {
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  std::uint64_t frame_header = 0;
  // Whether it is where the loader has it: these are the segments of that object.
  bool has_dynamic_section = false;
};

Bounds bounds_of(const Segments& segments, const link_map& object) {
  Bounds bounds;
  for (std::size_t i = 0; i < segments.count; ++i) {
    const Elf64_Phdr& segment = segments.first[i];
    const std::uint64_t low = object.l_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD) {
      if (low < bounds.low) bounds.low = low;
      if (low + segment.p_memsz > bounds.high) bounds.high = low + segment.p_memsz;
    } else if (segment.p_type == PT_GNU_EH_FRAME) {
      bounds.frame_header = low;
    } else if (segment.p_type == PT_DYNAMIC) {
      bounds.has_dynamic_section = low == address_of(object.l_ld);
    }
  }
  bounds.low = bounds.low / page * page;
  bounds.high = (bounds.high + page - 1) / page * page;
  return bounds;
}

}  // namespace

bool find_in_link_maps(std::uint64_t address, struct dl_find_object* found) {
  const struct r_debug* list = &_r_debug;
  asm("" : "+r"(list));  // may be null, which compilers assume that addresses never are
  if (list == nullptr) return false;
  ReadableMemory lists;
  ReadableMemory headers;
  link_map* object = list->r_map;
  bool is_executable = true;
  for (std::size_t i = 0; object != nullptr && i < most_objects; ++i, is_executable = false) {
    if (!lists.covers(address_of(object), sizeof(link_map))) return false;
    Bounds bounds;
    if (is_executable) bounds = bounds_of(segments_of_executable(), *object);
    // Or the executable of a loader that was started as a program, about which the kernel knows
    // nothing.
    if (!bounds.has_dynamic_section) {
      bounds = bounds_of(segments_of_library(object->l_addr, headers), *object);
    }
    if (bounds.has_dynamic_section && address >= bounds.low && address < bounds.high) {
      found->dlfo_map_start = reinterpret_cast<void*>(bounds.low);
      found->dlfo_map_end = reinterpret_cast<void*>(bounds.high);
      found->dlfo_link_map = object;
      found->dlfo_eh_frame = reinterpret_cast<void*>(bounds.frame_header);
      return true;
    }
    object = object->l_next;
  }
  return false;
}

}  // namespace gprof_runtime
