// A program, library or debug file, ELF or PE: its identity, the bytes of its sections, the raw
// data of its symbols. All is in ELF's vocabulary (EM_*, ET_*, SHT_*, SHF_*), into which PE is
// translated: its symbols and their names are sections .symtab and .strtab of their own, sections
// have the numbers by which symbols name them, and addresses include the preferred load address.
//
// Units: addresses are link-time. Ownership: an Image owns every byte it hands out; views must not
// outlive it. Thread contract: immutable after open(); section bytes are read (and decompressed)
// once, on first use, under a lock, so any thread may ask for them.
// Errors: not_found, unreadable, wrong_format (neither ELF nor PE), truncated, corrupt, unsupported
// (PE of another processor than x86); also unreadable if the file was written in place since it was
// opened: its bytes belong to another build. Sizes in headers are checked against the file before
// anything is allocated, decompressed sizes against a bound.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"
#include "engine/support/units.h"

namespace gprof {

class ByteSource;

enum class ObjectFormat : std::uint8_t { elf, pe };

struct Section {
  std::size_t index = 0;  // in the section header table
  std::string name;
  std::uint32_t type = 0;   // SHT_*
  std::uint64_t flags = 0;  // SHF_*
  Address address;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // as in the file: of the compressed bytes if it is compressed
  std::uint32_t link = 0;
  std::uint64_t entry_size = 0;

  [[nodiscard]] bool allocated() const;
  [[nodiscard]] bool executable() const;
  [[nodiscard]] AddressRange range() const { return {address, address + size}; }
};

struct DebugLink {
  std::string file_name;
  std::uint32_t crc = 0;
};

// Whether a file that begins with these bytes may be an image: eight of them are enough.
[[nodiscard]] bool may_be_image(std::string_view start);

class Image {
 public:
  static Expected<std::shared_ptr<const Image>> open(const std::filesystem::path& path,
                                                     FileUse use = FileUse::named);
  // An object file inside another one (.gnu_debugdata) or in a test. `name` is for messages.
  static Expected<std::shared_ptr<const Image>> from_bytes(std::vector<std::byte> bytes,
                                                           std::string name);
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image();

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] std::uint64_t file_size() const;  // in bytes, when it was opened
  // Of the file when it was opened; none for from_bytes().
  [[nodiscard]] std::optional<FileStamp> stamp() const;
  [[nodiscard]] FileTime modified() const;  // 0 for from_bytes()
  [[nodiscard]] ObjectFormat format() const;
  [[nodiscard]] PointerWidth pointer_width() const;  // by the file's class: four for x32 too
  [[nodiscard]] ByteOrder byte_order() const;
  [[nodiscard]] std::uint16_t machine() const;          // EM_*
  [[nodiscard]] std::uint16_t file_type() const;        // ET_EXEC, ET_DYN, ET_REL
  [[nodiscard]] std::uint32_t processor_flags() const;  // e_flags; EF_* of the machine
  // ELF: ET_EXEC, or ET_DYN with an interpreter or DF_1_PIE or (static PIE) an entry and no soname.
  // PE: an executable image that is not a DLL.
  [[nodiscard]] bool is_program() const;
  [[nodiscard]] Address entry() const;
  // Whether the names of all symbols begin with an underscore that is not in the source (i386 PE).
  [[nodiscard]] bool prefixes_names() const;
  // The bytes of NT_GNU_BUILD_ID, or of the GUID of PE's CodeView record; empty if there is none.
  [[nodiscard]] std::span<const std::byte> build_id() const;
  [[nodiscard]] std::optional<DebugLink> debug_link() const;

  [[nodiscard]] std::span<const Section> sections() const;
  [[nodiscard]] const Section* find_section(std::string_view name) const;
  // The executable, allocated section that holds the address.
  [[nodiscard]] const Section* code_section_at(Address address) const;
  // Lowest to highest address of the executable, allocated sections.
  [[nodiscard]] AddressRange code_range() const;

  // Decompressed (zlib and zstd; SHF_COMPRESSED and .zdebug_). SHT_NOBITS yields no bytes.
  [[nodiscard]] Expected<std::span<const std::byte>> section_bytes(const Section& section) const;
  // Whether section_part() reads only what is asked for: true for large uncompressed sections.
  [[nodiscard]] bool has_parts(const Section& section) const;
  // `size` bytes of a section from `offset` on: a view of the section, or of `own`, which they are
  // read into; of a large section only what is asked for, until that becomes much of it.
  [[nodiscard]] Expected<std::span<const std::byte>> section_part(
      const Section& section, std::uint64_t offset, std::uint64_t size,
      std::vector<std::byte>& own) const;
  // The bytes of the range, as far as the section that holds its start has them; empty if no code
  // or data section with bytes in the file does. As section_part().
  [[nodiscard]] std::span<const std::byte> bytes_in(AddressRange range,
                                                    std::vector<std::byte>& own) const;

 private:
  struct State;
  explicit Image(std::unique_ptr<State> state);
  [[nodiscard]] const Section* section_at(Address address) const;
  static Expected<std::shared_ptr<const Image>> from_source(ByteSource source);
  std::unique_ptr<State> state_;
};

}  // namespace gprof
