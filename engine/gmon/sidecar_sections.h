// Where the sections of a sidecar are: its header and checksum are right, each section lies in the
// file, and its entries are as long as its kind needs.
//
// Ownership: borrows the bytes. Thread contract: immutable once found. Errors: wrong_format,
// truncated, unsupported (a newer version), corrupt; each names the offset.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/gmon/entry_view.h"
#include "engine/support/expected.h"
#include "formats/sidecar.h"

namespace gprof {

// Entries of one kind; none where the file has no such section.
struct SidecarSection {
  std::uint64_t offset = 0;  // of its first entry, in the file
  std::uint64_t entry_size = 0;
  std::uint64_t count = 0;
  std::span<const std::byte> bytes;

  template <typename Entry>
  [[nodiscard]] Entry entry(std::uint64_t index) const {
    return EntryView(bytes.subspan(index * entry_size, entry_size)).as<Entry>();
  }
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t index) const {
    return offset + index * entry_size;
  }
};

class SidecarSections {
 public:
  // `path` is for messages.
  [[nodiscard]] static Expected<SidecarSections> find(std::span<const std::byte> bytes,
                                                      const std::string& path);

  [[nodiscard]] const gprof_formats::SidecarHeader& header() const { return header_; }
  [[nodiscard]] const SidecarSection& of(gprof_formats::SectionKind kind) const {
    return sections_[static_cast<std::size_t>(kind)].section;
  }

 private:
  static constexpr std::size_t kind_count = 18;
  struct FoundSection {
    bool found = false;
    SidecarSection section;
  };

  SidecarSections(std::span<const std::byte> bytes, const std::string& path)
      : bytes_(bytes), path_(path) {}
  Expected<void> read_header();
  Expected<void> check_whole() const;
  Expected<void> find_all();
  Expected<void> add(std::uint32_t kind, const SidecarSection& section);
  [[nodiscard]] Error error(ErrorCode code, std::string message, std::uint64_t offset) const;

  std::span<const std::byte> bytes_;
  std::string path_;
  gprof_formats::SidecarHeader header_ = {};
  std::array<FoundSection, kind_count> sections_;
};

}  // namespace gprof
