#include "server/sources/line_cache_file.h"

#include <array>

namespace gprof::lsp {
namespace {

constexpr std::string_view magic = "gproflns";
constexpr std::uint64_t version = 1;

constexpr std::size_t version_at = 8;  // 4 bytes; the key's size follows, 4 bytes
constexpr std::size_t count_at = 16;
constexpr std::size_t stamp_at = 24;
constexpr std::size_t checksum_at = 32;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void append_number(std::string& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

// Of everything except itself.
std::uint64_t checksum(std::string_view entry) {
  const std::array parts = {hash_line(entry.substr(0, checksum_at)),
                            hash_line(entry.substr(line_cache_header_size))};
  return parts[0] * 0x9E3779B97F4A7C15 ^ parts[1];
}

}  // namespace

std::string encode_lines(std::string_view key, const CachedLines& value) {
  std::string out(magic);
  out.reserve(line_cache_header_size + key.size() + 8 * value.lines->size());
  append_number(out, version, 4);
  append_number(out, key.size(), 4);
  append_number(out, value.lines->size(), 8);
  append_number(out, static_cast<std::uint64_t>(value.stamp), 8);
  append_number(out, 0, 8);
  out += key;
  for (const LineHash hash : *value.lines) append_number(out, hash, 8);
  std::string sum;
  append_number(sum, checksum(out), 8);
  out.replace(checksum_at, 8, sum);
  return out;
}

bool begins_entry(std::span<const std::byte> beginning, std::string_view key,
                  std::uint64_t file_size) {
  const std::string_view text = as_text(beginning);
  if (text.size() < line_cache_header_size + key.size()) return false;
  if (!text.starts_with(magic) || number_at(text, version_at, 4) != version) return false;
  if (number_at(text, version_at + 4, 4) != key.size()) return false;
  if (text.substr(line_cache_header_size, key.size()) != key) return false;
  const std::uint64_t rest = file_size - line_cache_header_size - key.size();
  return rest % 8 == 0 && rest / 8 == number_at(text, count_at, 8);
}

std::optional<CachedLines> decode_lines(std::span<const std::byte> bytes, std::string_view key) {
  if (!begins_entry(bytes, key, bytes.size())) return std::nullopt;
  const std::string_view text = as_text(bytes);
  if (number_at(text, checksum_at, 8) != checksum(text)) return std::nullopt;
  LineHashes lines;
  lines.reserve((text.size() - line_cache_header_size - key.size()) / 8);
  for (std::size_t at = line_cache_header_size + key.size(); at < text.size(); at += 8) {
    lines.push_back(number_at(text, at, 8));
  }
  return CachedLines{std::make_shared<const LineHashes>(std::move(lines)),
                     static_cast<std::int64_t>(number_at(text, stamp_at, 8))};
}

}  // namespace gprof::lsp
