// `.debug_info` of a program whose units are known already, from a stored index: the bytes of a
// unit are read when they are asked for, where the whole section may be hundreds of megabytes.
//
// Ownership: keeps what it read, which lives as long as it or its image. Thread contract: any
// thread. Errors: as Image::section_part().
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/object/image.h"
#include "engine/support/expected.h"

namespace gprof::dwarf {

class InfoParts {
 public:
  // `section` is one of the image's.
  InfoParts(std::shared_ptr<const Image> image, const Section& section)
      : image_(std::move(image)), section_(section) {}

  [[nodiscard]] Expected<std::span<const std::byte>> part(std::uint64_t begin, std::uint64_t end);

 private:
  const std::shared_ptr<const Image> image_;
  const Section& section_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::vector<std::byte>> read_;  // by where they begin
};

}  // namespace gprof::dwarf
