#include "engine/object/elf_headers.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

namespace gprof {
namespace {

struct ElfEnd {
  void operator()(Elf* elf) const { ::elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

Error header_error(const ByteSource& source, ErrorCode code, std::string message) {
  return Error{code, std::move(message), source.name(), std::nullopt};
}

Error libelf_error(const ByteSource& source, std::string_view part) {
  const char* reason = ::elf_errmsg(-1);
  return header_error(source, ErrorCode::corrupt,
                      fmt::format("the {} cannot be read ({}); build or copy the file anew", part,
                                  reason != nullptr ? reason : "no reason given"));
}

// Null if the first bytes are those of an ELF header that libelf can decode.
std::optional<Error> check_identification(const ByteSource& source) {
  TRY_ASSIGN(auto start, source.read_at(0, std::min<std::uint64_t>(source.size(), EI_NIDENT)));
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (start.size() < EI_NIDENT) {
    return header_error(source, ErrorCode::truncated, "the file ends inside the ELF header");
  }
  const int file_class = static_cast<unsigned char>(text[EI_CLASS]);
  const int encoding = static_cast<unsigned char>(text[EI_DATA]);
  if (file_class != ELFCLASS32 && file_class != ELFCLASS64) {
    return header_error(source, ErrorCode::corrupt,
                        fmt::format("ELF class 1 or 2 expected, {} found", file_class));
  }
  if (encoding != ELFDATA2LSB && encoding != ELFDATA2MSB) {
    return header_error(source, ErrorCode::corrupt,
                        fmt::format("ELF byte order 1 or 2 expected, {} found", encoding));
  }
  const std::uint64_t header_size =
      file_class == ELFCLASS32 ? sizeof(Elf32_Ehdr) : sizeof(Elf64_Ehdr);
  if (source.size() < header_size) {
    return header_error(source, ErrorCode::truncated, "the file ends inside the ELF header");
  }
  return std::nullopt;
}

ElfHandle open_handle(const ByteSource& source) {
  // libelf refuses to work before it has been told its version; the answer never changes.
  static const bool ready = ::elf_version(EV_CURRENT) != EV_NONE;
  if (!ready) return nullptr;
  if (const auto descriptor = source.descriptor()) {
    return ElfHandle(::elf_begin(*descriptor, ELF_C_READ, nullptr));
  }
  // elf_memory's interface lacks const; without ELF_C_RDWR nothing is written back.
  const auto memory = source.memory();
  return ElfHandle(
      ::elf_memory(reinterpret_cast<char*>(const_cast<std::byte*>(memory.data())), memory.size()));
}

std::string_view string_at(std::span<const std::byte> table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest(reinterpret_cast<const char*>(table.data()) + offset,
                              table.size() - offset);
  return rest.substr(0, rest.find('\0'));
}

Section make_section(std::size_t index, const GElf_Shdr& header) {
  Section section;
  section.index = index;
  section.type = header.sh_type;
  section.flags = header.sh_flags;
  section.address = Address{header.sh_addr};
  section.offset = header.sh_offset;
  section.size = header.sh_size;
  section.link = header.sh_link;
  section.entry_size = header.sh_entsize;
  return section;
}

// Names come last: their table is itself a section.
std::optional<Error> name_sections(Elf* elf, const ByteSource& source,
                                   const std::vector<std::uint32_t>& name_offsets,
                                   std::vector<Section>& sections) {
  std::size_t table_index = 0;
  if (::elf_getshdrstrndx(elf, &table_index) != 0 || table_index == 0 ||
      table_index >= sections.size() || sections[table_index].type == SHT_NOBITS) {
    return std::nullopt;  // sections without names; code that needs a name will not find it
  }
  TRY_ASSIGN(auto table, source.read_at(sections[table_index].offset, sections[table_index].size));
  // Many sections may claim one long name; real files share tails of names only.
  std::uint64_t budget = 16 * (table.size() + 64 * sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::string_view name = string_at(table, name_offsets[i]);
    if (name.size() > budget) {
      return header_error(source, ErrorCode::corrupt,
                          "the section names are longer than their table; build the file anew");
    }
    budget -= name.size();
    sections[i].name = name;
  }
  return std::nullopt;
}

std::optional<Error> read_sections(Elf* elf, const ByteSource& source, const GElf_Ehdr& header,
                                   std::vector<Section>& sections) {
  if (header.e_shoff == 0) return std::nullopt;
  if (header.e_shoff >= source.size()) {
    return Error{ErrorCode::truncated,
                 fmt::format("the file ends at byte {}, before its section headers; copy or build "
                             "it anew",
                             source.size()),
                 source.name(), header.e_shoff};
  }
  std::size_t count = 0;
  if (::elf_getshdrnum(elf, &count) != 0) return libelf_error(source, "section headers");
  const std::uint64_t entry_size =
      ::gelf_getclass(elf) == ELFCLASS32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
  if (count > (source.size() - header.e_shoff) / entry_size) {
    return Error{ErrorCode::truncated,
                 fmt::format("{} section headers expected, the file ends at byte {}; copy or build "
                             "it anew",
                             count, source.size()),
                 source.name(), header.e_shoff};
  }
  std::vector<std::uint32_t> name_offsets;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Shdr section_header = {};
    Elf_Scn* handle = ::elf_getscn(elf, i);
    if (handle == nullptr || ::gelf_getshdr(handle, &section_header) == nullptr) {
      return libelf_error(source, fmt::format("header of section {}", i));
    }
    sections.push_back(make_section(i, section_header));
    name_offsets.push_back(section_header.sh_name);
  }
  return name_sections(elf, source, name_offsets, sections);
}

// Damaged program headers cost only the segments, which only notes and is_program() need.
std::vector<Segment> read_segments(Elf* elf) {
  std::vector<Segment> segments;
  std::size_t count = 0;
  if (::elf_getphdrnum(elf, &count) != 0) return segments;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header = {};
    if (::gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) break;
    segments.push_back({header.p_type, header.p_offset, header.p_filesz, header.p_align});
  }
  return segments;
}

}  // namespace

Expected<ObjectHeaders> read_elf_headers(const ByteSource& source) {
  if (auto error = check_identification(source)) return *std::move(error);
  const ElfHandle elf = open_handle(source);
  GElf_Ehdr header = {};
  if (elf == nullptr || ::elf_kind(elf.get()) != ELF_K_ELF ||
      ::gelf_getehdr(elf.get(), &header) == nullptr) {
    return libelf_error(source, "ELF header");
  }
  ElfHeaders headers;
  headers.pointer_width =
      header.e_ident[EI_CLASS] == ELFCLASS32 ? PointerWidth::four : PointerWidth::eight;
  headers.byte_order = header.e_ident[EI_DATA] == ELFDATA2MSB ? ByteOrder::big : ByteOrder::little;
  headers.machine = header.e_machine;
  headers.file_type = header.e_type;
  headers.processor_flags = header.e_flags;
  headers.entry = Address{header.e_entry};
  if (auto error = read_sections(elf.get(), source, header, headers.sections)) {
    return *std::move(error);
  }
  headers.segments = read_segments(elf.get());
  headers.build_id = read_build_id(source, headers);
  headers.is_program = is_program_file(source, headers);
  return ObjectHeaders(std::move(headers));
}

}  // namespace gprof

// Debian 13's libelf.a (elfutils 0.192) was packed without what begins and ends its list of raw
// chunks of a file. Nothing here asks for raw chunks, so that the list stays empty.
extern "C" {
[[gnu::weak]] void eu_search_tree_init(void* /*tree*/,
                                       int (* /*compare*/)(const void*, const void*)) {}
[[gnu::weak]] void eu_search_tree_fini(void* /*tree*/, void (* /*free*/)(void*)) {}
}
