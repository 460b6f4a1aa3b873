// The binary format of one line cache entry.
//
// All numbers are little endian. A magic word, a version, the key's size, the number of lines, the
// stamp, a checksum of everything else, the key, the lines' hashes, and nothing after them.
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/sources/line_cache.h"

namespace gprof::lsp {

constexpr std::size_t line_cache_header_size = 40;

[[nodiscard]] std::string encode_lines(std::string_view key, const CachedLines& value);
// None unless the bytes are a complete, undamaged entry for this key.
[[nodiscard]] std::optional<CachedLines> decode_lines(std::span<const std::byte> bytes,
                                                      std::string_view key);
// Whether a file of `file_size` bytes begins with the header and key of an entry for this key. The
// rest is not checked.
[[nodiscard]] bool begins_entry(std::span<const std::byte> beginning, std::string_view key,
                                std::uint64_t file_size);

}  // namespace gprof::lsp
