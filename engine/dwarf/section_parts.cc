#include "engine/dwarf/section_parts.h"

#include <algorithm>
#include <cstring>

namespace gprof::dwarf {
namespace {

// Strings of one unit are mostly adjacent. A part extends this far into the next one, so that names
// crossing the boundary are whole.
constexpr std::uint64_t text_part_size = 16'384;

}  // namespace

Expected<std::span<const std::byte>> SectionParts::part(std::uint64_t begin, std::uint64_t end) {
  {
    const std::lock_guard lock(mutex_);
    const auto known = read_.find({begin, end});
    if (known != read_.end()) return std::span<const std::byte>(known->second);
  }
  std::vector<std::byte> own;
  auto bytes = image_->section_part(section_, begin, end - begin, own);
  if (!bytes || own.empty()) return bytes;
  const std::lock_guard lock(mutex_);
  // Another thread may have been faster, and its bytes be in use.
  return std::span<const std::byte>(read_.try_emplace({begin, end}, std::move(own)).first->second);
}

std::optional<std::string_view> SectionParts::text_at(std::uint64_t offset) {
  if (offset >= size()) return std::nullopt;
  const std::uint64_t begin = offset / text_part_size * text_part_size;
  const auto bytes = part(begin, std::min(size(), begin + 2 * text_part_size));
  if (!bytes) return std::nullopt;
  const auto rest = bytes->subspan(offset - begin);
  const void* end = std::memchr(rest.data(), 0, rest.size());
  if (end == nullptr) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(rest.data());
  return std::string_view(text, static_cast<std::size_t>(static_cast<const char*>(end) - text));
}

}  // namespace gprof::dwarf
