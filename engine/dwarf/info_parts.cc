#include "engine/dwarf/info_parts.h"

#include <utility>

namespace gprof::dwarf {

Expected<std::span<const std::byte>> InfoParts::part(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t size = end - begin;
  {
    const std::lock_guard lock(mutex_);
    const auto known = read_.find(begin);
    if (known != read_.end() && known->second.size() == size) {
      return std::span<const std::byte>(known->second);
    }
  }
  std::vector<std::byte> own;
  auto bytes = image_->section_part(section_, begin, size, own);
  if (!bytes || own.empty()) return bytes;
  const std::lock_guard lock(mutex_);
  // Another thread may have been faster: its bytes may be in use.
  return std::span<const std::byte>(read_.try_emplace(begin, std::move(own)).first->second);
}

}  // namespace gprof::dwarf
