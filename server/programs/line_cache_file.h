// The form of one entry of the line cache, as bytes.
//
// All numbers are little endian. A magic word, a version, the key's size, the number of lines, the
// stamp, a checksum of everything else, the key, the lines' hashes; nothing behind them.
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/programs/line_cache.h"

namespace gprof::lsp {

constexpr std::size_t line_cache_header_size = 40;

[[nodiscard]] std::string encode_lines(std::string_view key, const CachedLines& value);
// None where the bytes are not a whole, undamaged entry of this key.
[[nodiscard]] std::optional<CachedLines> decode_lines(std::span<const std::byte> bytes,
                                                      std::string_view key);
// Whether the beginning of a file of `file_size` bytes, header and key, is that of an entry of this
// key. Says nothing of the rest.
[[nodiscard]] bool begins_entry(std::span<const std::byte> beginning, std::string_view key,
                                std::uint64_t file_size);

}  // namespace gprof::lsp
