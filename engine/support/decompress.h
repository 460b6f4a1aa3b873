// Decompression in memory: zlib and zstd (ELF sections), xz (.gnu_debugdata), gzip (profiles).
//
// Units: bytes. Thread contract: pure functions. Errors: corrupt (the stream is damaged, or yields
// more or fewer bytes than announced) and unsupported (expands beyond the bound); the caller fills
// in `path` and `offset`. Memory grows with what the stream really yields, never with what a header
// announces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/support/expected.h"

namespace gprof {

enum class Compression : std::uint8_t { zlib, zstd, xz, gzip };

// No honest section expands further than this: 1,024 times its size and one MiB.
[[nodiscard]] std::uint64_t decompressed_size_bound(std::uint64_t compressed_size);

// `announced_size` is the unpacked size that the file states, if it does; the result then has
// exactly that size. It never exceeds `most_bytes`.
[[nodiscard]] Expected<std::vector<std::byte>> decompress(
    Compression compression, std::span<const std::byte> compressed,
    std::optional<std::uint64_t> announced_size,
    std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max() - 1);

}  // namespace gprof
