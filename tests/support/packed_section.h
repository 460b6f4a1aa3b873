// The contents of a compressed section in a file (SHF_COMPRESSED, zlib).
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <elf.h>
#include <zlib.h>

namespace gprof::test {

// `announced`: the uncompressed size that the header claims, if it is wrong.
inline std::vector<std::byte> packed_section(std::span<const std::byte> bytes,
                                             std::uint64_t announced = 0) {
  const Elf64_Chdr header = {ELFCOMPRESS_ZLIB, 0, announced != 0 ? announced : bytes.size(), 1};
  std::vector<std::byte> packed(sizeof header + compressBound(bytes.size()));
  std::memcpy(packed.data(), &header, sizeof header);
  uLongf size = packed.size() - sizeof header;
  compress2(reinterpret_cast<Bytef*>(packed.data() + sizeof header), &size,
            reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  packed.resize(sizeof header + size);
  return packed;
}

}  // namespace gprof::test
