#include "engine/object/embedded_image.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <elf.h>

#include "engine/support/decompress.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

// Sections that would be unpacked again. Tools that make .gnu_debugdata leave none in it.
bool has_packed_sections(const Image& image) {
  return std::ranges::any_of(image.sections(), [](const Section& section) {
    return (section.flags & SHF_COMPRESSED) != 0 || section.name.starts_with(".debug_");
  });
}

}  // namespace

std::shared_ptr<const Image> embedded_image(const Image& image) {
  const Section* section = image.find_section(".gnu_debugdata");
  if (section == nullptr) return nullptr;
  const auto packed = image.section_bytes(*section);
  if (!packed) return nullptr;
  auto bytes =
      decompress(Compression::xz, *packed, std::nullopt, most_unpacked_bytes(image.file_size()));
  if (!bytes) return nullptr;
  auto embedded = Image::from_bytes(std::move(*bytes), image.path() + "(.gnu_debugdata)");
  return embedded && !has_packed_sections(**embedded) ? *embedded : nullptr;
}

}  // namespace gprof
