#include "runtime/unwind/own_image.h"

// Defined by the linker: the image's ELF header.
extern "C" const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

namespace gprof_runtime::own_image {
namespace {

std::uint64_t header_address() {
  std::uint64_t address = reinterpret_cast<std::uint64_t>(&__ehdr_start);
  asm("" : "+r"(address));  // may be null, which compilers assume that object addresses never are
  return address;
}

// The image's load bias: its headers are at the start of its first segment.
std::uint64_t bias() {
  for (const Elf64_Phdr& segment : segments()) {
    if (segment.p_type == PT_LOAD) return header_address() - segment.p_vaddr + segment.p_offset;
  }
  return 0;
}

bool holds_with(std::uint64_t address, std::uint32_t flags) {
  const std::uint64_t place = address - bias();
  for (const Elf64_Phdr& segment : segments()) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & flags) == flags &&
        place - segment.p_vaddr < segment.p_memsz) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::span<const Elf64_Phdr> segments() {
  if (header_address() == 0) return {};
  const Elf64_Ehdr& header = __ehdr_start;
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return {};
  return {reinterpret_cast<const Elf64_Phdr*>(header_address() + header.e_phoff), header.e_phnum};
}

Bytes bytes_of(const Elf64_Phdr& segment) {
  if ((segment.p_flags & PF_R) == 0) return {};
  return {reinterpret_cast<const std::uint8_t*>(bias() + segment.p_vaddr), segment.p_filesz};
}

bool holds(std::uint64_t address) { return holds_with(address, 0); }
bool holds_code(std::uint64_t address) { return holds_with(address, PF_X); }

const std::uint8_t* frame_header() {
  for (const Elf64_Phdr& segment : segments()) {
    if (segment.p_type == PT_GNU_EH_FRAME) return bytes_of(segment).data();
  }
  return nullptr;
}

Bytes segment_of_frame_header() {
  const std::uint8_t* const header = frame_header();
  for (const Elf64_Phdr& segment : segments()) {
    const Bytes bytes = bytes_of(segment);
    if (segment.p_type == PT_LOAD && header >= bytes.data() &&
        header < bytes.data() + bytes.size()) {
      return bytes;
    }
  }
  return {};
}

}  // namespace gprof_runtime::own_image
