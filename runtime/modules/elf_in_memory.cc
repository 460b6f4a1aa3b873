#include "runtime/modules/elf_in_memory.h"

#include <sys/auxv.h>

namespace gprof_runtime {
namespace {

constexpr std::size_t most_program_headers = 256;

bool is_elf_header(const Elf64_Ehdr& header) {
  return header.e_ident[EI_MAG0] == ELFMAG0 && header.e_ident[EI_MAG1] == ELFMAG1 &&
         header.e_ident[EI_MAG2] == ELFMAG2 && header.e_ident[EI_MAG3] == ELFMAG3 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_phentsize == sizeof(Elf64_Phdr);
}

// The link-time address of the first byte of the file.
bool first_address(const ElfObject& object, std::uint64_t* address) {
  for (std::size_t i = 0; i < object.program_header_count; ++i) {
    const Elf64_Phdr& segment = object.program_headers[i];
    if (segment.p_type == PT_LOAD) {
      *address = segment.p_vaddr - segment.p_offset;
      return true;
    }
  }
  return false;
}

void add_range(std::uint64_t low, std::uint64_t high, std::uint64_t* range_low,
               std::uint64_t* range_high) {
  if (*range_high == 0 || low < *range_low) *range_low = low;
  if (high > *range_high) *range_high = high;
}

void describe_segments(const ElfObject& object, ModuleRecord* record) {
  for (std::size_t i = 0; i < object.program_header_count; ++i) {
    const Elf64_Phdr& segment = object.program_headers[i];
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    const std::uint64_t low = object.bias + segment.p_vaddr;
    const std::uint64_t high = low + segment.p_memsz;
    add_range(low, high, &record->low, &record->high);
    if ((segment.p_flags & PF_X) != 0) {
      add_range(low, high, &record->text_low, &record->text_high);
    }
  }
}

// Rounds up to a multiple of 4 bytes.
std::uint64_t rounded_up(std::uint64_t size) { return (size + 3) / 4 * 4; }

struct Note {
  const std::uint8_t* bytes;
  std::uint32_t size;
};

// Filled up with nulls.
using Owner = char[4];

bool is_same(const Owner& owner, const char* name) {
  for (std::size_t i = 0; i < sizeof owner; ++i) {
    if (owner[i] != name[i]) return false;
  }
  return true;
}

// The first note of that kind and owner.
bool find_note(std::uint64_t place, std::uint64_t end, std::uint32_t kind, const Owner& owner,
               Note* found) {
  while (end - place >= sizeof(Elf64_Nhdr)) {
    const auto& note = *reinterpret_cast<const Elf64_Nhdr*>(place);
    const std::uint64_t name = place + sizeof note;
    const std::uint64_t description = name + rounded_up(note.n_namesz);
    const std::uint64_t next = description + rounded_up(note.n_descsz);
    if (description < name || next < description || next > end) return false;
    const char* text = reinterpret_cast<const char*>(name);
    if (note.n_type == kind && note.n_namesz == sizeof owner && is_same(owner, text)) {
      *found = {reinterpret_cast<const std::uint8_t*>(description), note.n_descsz};
      return true;
    }
    place = next;
  }
  return false;
}

void describe_notes(std::uint64_t place, std::uint64_t end, ModuleRecord* record) {
  Note note = {};
  if (!find_note(place, end, NT_GNU_BUILD_ID, {'G', 'N', 'U'}, &note)) return;
  record->build_id_size = note.size < sizeof record->build_id ? note.size : sizeof record->build_id;
  for (std::uint32_t i = 0; i < record->build_id_size; ++i) record->build_id[i] = note.bytes[i];
}

bool is_loaded(const ElfObject& object, const Elf64_Phdr& part) {
  for (std::size_t i = 0; i < object.program_header_count; ++i) {
    const Elf64_Phdr& segment = object.program_headers[i];
    if (segment.p_type == PT_LOAD && part.p_vaddr >= segment.p_vaddr &&
        part.p_memsz <= segment.p_memsz &&
        part.p_vaddr - segment.p_vaddr <= segment.p_memsz - part.p_memsz) {
      return true;
    }
  }
  return false;
}

// The loader adjusts some addresses of a dynamic section and leaves others alone.
std::uint64_t loaded_address(const ElfObject& object, std::uint64_t address) {
  return address < object.bias ? address + object.bias : address;
}

void copy_text(const char* from, char* to, std::size_t size) {
  std::size_t i = 0;
  for (; i + 1 < size && from[i] != '\0'; ++i) to[i] = from[i];
  to[i] = '\0';
}

void describe_dynamic_section(const ElfObject& object, const Elf64_Dyn* entry, std::size_t count,
                              ModuleRecord* record) {
  std::uint64_t strings = 0;
  std::uint64_t strings_size = 0;
  std::uint64_t soname = 0;
  bool has_soname = false;
  for (std::size_t i = 0; i < count && entry[i].d_tag != DT_NULL; ++i) {
    const std::uint64_t value = entry[i].d_un.d_val;
    if (entry[i].d_tag == DT_STRTAB) strings = loaded_address(object, value);
    if (entry[i].d_tag == DT_STRSZ) strings_size = value;
    if (entry[i].d_tag == DT_INIT) record->init_address = object.bias + value;
    if (entry[i].d_tag == DT_SONAME) {
      soname = value;
      has_soname = true;
    }
  }
  if (has_soname && strings >= record->low && strings < record->high && soname < strings_size &&
      strings + strings_size <= record->high) {
    copy_text(reinterpret_cast<const char*>(strings + soname), record->soname,
              sizeof record->soname);
  }
}

}  // namespace

bool read_object_at(std::uint64_t start, std::uint64_t end, ElfObject* object) {
  if (end - start < sizeof(Elf64_Ehdr) || end < start) return false;
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(start);
  if (!is_elf_header(header) || header.e_phnum > most_program_headers) return false;
  // Program headers beyond the first page may be in a part of the file that is not mapped.
  const std::uint64_t headers_end = header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr);
  constexpr std::uint64_t surely_mapped = 4096;
  if (header.e_phoff > surely_mapped || headers_end > surely_mapped || headers_end > end - start) {
    return false;
  }
  object->program_headers = reinterpret_cast<const Elf64_Phdr*>(start + header.e_phoff);
  object->program_header_count = header.e_phnum;
  std::uint64_t link_time_start = 0;
  if (!first_address(*object, &link_time_start)) return false;
  object->bias = start - link_time_start;
  return true;
}

bool read_executable(ElfObject* object) {
  const std::uint64_t headers = getauxval(AT_PHDR);
  const std::uint64_t count = getauxval(AT_PHNUM);
  if (headers == 0 || count == 0 || count > most_program_headers) return false;
  object->program_headers = reinterpret_cast<const Elf64_Phdr*>(headers);
  object->program_header_count = count;
  for (std::size_t i = 0; i < count; ++i) {
    if (object->program_headers[i].p_type == PT_PHDR) {
      object->bias = headers - object->program_headers[i].p_vaddr;
      return true;
    }
  }
  // Without PT_PHDR (static programs), the headers follow the ELF header in the first page.
  constexpr std::uint64_t page = 4096;
  const std::uint64_t start = headers / page * page;
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(start);
  std::uint64_t link_time_start = 0;
  if (!is_elf_header(header) || start + header.e_phoff != headers ||
      !first_address(*object, &link_time_start)) {
    return false;
  }
  object->bias = start - link_time_start;
  return true;
}

bool is_made_by_go(const ElfObject& object) {
  constexpr std::uint32_t go_build_id = 4;
  Note note = {};
  for (std::size_t i = 0; i < object.program_header_count; ++i) {
    const Elf64_Phdr& segment = object.program_headers[i];
    if (segment.p_type != PT_NOTE || !is_loaded(object, segment)) continue;
    const std::uint64_t low = object.bias + segment.p_vaddr;
    if (find_note(low, low + segment.p_memsz, go_build_id, {'G', 'o'}, &note)) return true;
  }
  return false;
}

void describe_object(const ElfObject& object, ModuleRecord* record) {
  record->bias = object.bias;
  describe_segments(object, record);
  for (std::size_t i = 0; i < object.program_header_count; ++i) {
    const Elf64_Phdr& segment = object.program_headers[i];
    const std::uint64_t low = object.bias + segment.p_vaddr;
    const std::uint64_t high = low + segment.p_memsz;
    if (low < record->low || high > record->high || high < low) continue;
    if (segment.p_type == PT_NOTE && record->build_id_size == 0) describe_notes(low, high, record);
    if (segment.p_type == PT_DYNAMIC) {
      describe_dynamic_section(object, reinterpret_cast<const Elf64_Dyn*>(low),
                               segment.p_memsz / sizeof(Elf64_Dyn), record);
    }
  }
}

}  // namespace gprof_runtime
