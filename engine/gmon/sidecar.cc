#include "engine/gmon/sidecar.h"

#include <tuple>

#include <zlib.h>

#include "engine/gmon/sidecar_format.h"

namespace gprof {

std::strong_ordering compare_places(const SidecarArc& a, const SidecarArc& b) {
  const auto key = [](const SidecarArc& arc) {
    return std::tuple(arc.from.module, arc.self.module, arc.from.address, arc.self.address,
                      arc.behind.module, arc.flags, arc.behind.address, arc.through.module,
                      arc.through_name, arc.through.address);
  };
  return key(a) <=> key(b);
}

std::uint32_t sidecar_format::checksum(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace gprof
