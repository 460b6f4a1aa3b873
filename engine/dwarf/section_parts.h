// A large section of a program whose units are already known from a stored index: reads only the
// bytes asked for, because the whole section may be hundreds of megabytes.
//
// Ownership: keeps what it read, which lives as long as it or its image. Thread contract: any
// thread. Errors: as Image::section_part().
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/object/image.h"
#include "engine/support/expected.h"

namespace gprof::dwarf {

class SectionParts {
 public:
  // `section` is one of the image's and can be read in parts.
  SectionParts(std::shared_ptr<const Image> image, const Section& section)
      : image_(std::move(image)), section_(section) {}

  [[nodiscard]] std::uint64_t size() const { return section_.size; }
  [[nodiscard]] Expected<std::span<const std::byte>> part(std::uint64_t begin, std::uint64_t end);
  // The zero-terminated string at `offset`; none if it is outside, or not terminated within 16 KiB
  // or more: only all() finds such strings.
  [[nodiscard]] std::optional<std::string_view> text_at(std::uint64_t offset);
  [[nodiscard]] Expected<std::span<const std::byte>> all() const {
    return image_->section_bytes(section_);
  }

 private:
  using Place = std::pair<std::uint64_t, std::uint64_t>;  // its first byte, and the one after it

  const std::shared_ptr<const Image> image_;
  const Section& section_;
  std::mutex mutex_;
  std::map<Place, std::vector<std::byte>> read_;
};

}  // namespace gprof::dwarf
