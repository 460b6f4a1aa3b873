#include "engine/gmon/sidecar_sections.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/sidecar.h"
#include "engine/support/byte_reader.h"

namespace gprof {
namespace {

using namespace gprof_formats;

// Of older files.
constexpr std::size_t smallest_process_size = offsetof(ProcessEntry, sampling);
constexpr std::size_t smallest_sample_size = offsetof(SamplePlace, excess_variance);
constexpr std::size_t smallest_thread_size = offsetof(ThreadEntry, name);

}  // namespace

Error SidecarSections::error(ErrorCode code, std::string message, std::uint64_t offset) const {
  return Error{code, std::move(message), path_, offset};
}

Expected<void> SidecarSections::read_header() {
  ByteReader reader(bytes_, ByteOrder::little, path_);
  const auto found = reader.read_bytes(sizeof(SidecarHeader), "the sidecar's header");
  header_ = EntryView(bytes_).as<SidecarHeader>();
  if (text_before_zero(header_.magic) != characters_of(sidecar_magic).substr(0, bytes_.size())) {
    return error(ErrorCode::wrong_format,
                 "a sidecar expected, which begins with \"gprofgpx\"; name the file that lies "
                 "beside the profile and ends in .gpx",
                 0);
  }
  if (!found) return found.error();
  if (!is_known_sidecar(header_.version)) {
    return error(ErrorCode::unsupported,
                 fmt::format("a sidecar of version 1 to {} expected, {} found; use the gprof-lsp "
                             "that came with the collector",
                             sidecar_version, header_.version),
                 offsetof(SidecarHeader, version));
  }
  const std::uint64_t begin = header_.header_size;
  if (begin < sizeof(SidecarHeader) || begin % section_alignment != 0) {
    return error(ErrorCode::corrupt,
                 fmt::format("a header of at least {} bytes expected, {} found; the file is "
                             "damaged: run the program again",
                             sizeof(SidecarHeader), begin),
                 offsetof(SidecarHeader, header_size));
  }
  return check_whole();
}

Expected<void> SidecarSections::check_whole() const {
  const std::uint64_t file_size = header_.file_size;
  const std::uint64_t begin = header_.header_size;
  if (file_size > bytes_.size() || begin > bytes_.size()) {
    return error(ErrorCode::truncated,
                 fmt::format("a sidecar of {} bytes expected, {} found; the file was copied only "
                             "in part: copy it again",
                             std::max(file_size, begin), bytes_.size()),
                 bytes_.size());
  }
  if (file_size < bytes_.size()) {
    return error(ErrorCode::corrupt,
                 fmt::format("a sidecar of {} bytes expected, more found; the file is damaged: run "
                             "the program again",
                             file_size),
                 file_size);
  }
  const std::uint32_t found = sidecar_checksum(bytes_.subspan(begin));
  if (found == header_.checksum) return {};
  return error(ErrorCode::corrupt,
               fmt::format("the checksum {:#010x} expected, {:#010x} found; the file is damaged: "
                           "run the program again",
                           header_.checksum, found),
               offsetof(SidecarHeader, checksum));
}

Expected<void> SidecarSections::find_all() {
  std::uint64_t offset = header_.header_size;
  while (offset < bytes_.size()) {
    const std::uint64_t left = bytes_.size() - offset;
    if (left < sizeof(SectionHeader)) {
      return error(ErrorCode::truncated, "the file ends inside a section's header", offset);
    }
    const auto header = EntryView(bytes_.subspan(offset)).as<SectionHeader>();
    const std::uint64_t payload_left = left - sizeof(SectionHeader);
    SidecarSection section{offset + sizeof(SectionHeader), header.entry_size, header.count, {}};
    if (section.entry_size != 0 && section.count > payload_left / section.entry_size) {
      return error(ErrorCode::truncated,
                   fmt::format("the file ends inside a section: {} entries of {} bytes expected, "
                               "{} bytes left",
                               section.count, section.entry_size, payload_left),
                   offset);
    }
    const std::uint64_t size = section.count * section.entry_size;
    section.bytes = bytes_.subspan(section.offset, size);
    TRY(add(header.kind, section));
    const std::uint64_t padded =
        (size + section_alignment - 1) / section_alignment * section_alignment;
    if (padded > payload_left) {
      return error(ErrorCode::truncated, "the file ends inside the zero bytes after a section",
                   offset);
    }
    offset = section.offset + padded;
  }
  return {};
}

Expected<void> SidecarSections::add(std::uint32_t kind, const SidecarSection& section) {
  // By kind; 0 for those that may be newer than this reader.
  constexpr std::array<std::size_t, kind_count> smallest = {0,
                                                            sizeof(char),
                                                            smallest_process_size,
                                                            sizeof(ModuleEntry),
                                                            sizeof(ArcEntry),
                                                            smallest_thread_size,
                                                            smallest_sample_size,
                                                            stack_unit,
                                                            sizeof(TimelineEntry),
                                                            sizeof(PartEntry),
                                                            sizeof(PartEntry),
                                                            sizeof(PartEntry),
                                                            stack_unit,
                                                            sizeof(WaitEntry),
                                                            sizeof(PartEntry),
                                                            sizeof(HolderEntry),
                                                            sizeof(CrashEntry),
                                                            stack_unit};
  if (kind == 0 || kind >= kind_count) return {};
  const std::uint64_t header_offset = section.offset - sizeof(SectionHeader);
  if (sections_[kind].found) {
    return error(ErrorCode::corrupt,
                 fmt::format("one section of kind {} expected, another one found; the file is "
                             "damaged: run the program again",
                             kind),
                 header_offset);
  }
  const bool fixed = kind == static_cast<std::uint32_t>(SectionKind::strings) ||
                     kind == static_cast<std::uint32_t>(SectionKind::stacks) ||
                     kind == static_cast<std::uint32_t>(SectionKind::wait_stacks) ||
                     kind == static_cast<std::uint32_t>(SectionKind::crash_stacks);
  if (section.entry_size < smallest[kind] || (fixed && section.entry_size != smallest[kind])) {
    return error(ErrorCode::corrupt,
                 fmt::format("entries of {} bytes expected in the section of kind {}, {} found; "
                             "the file is damaged: run the program again",
                             smallest[kind], kind, section.entry_size),
                 header_offset);
  }
  sections_[kind] = {true, section};
  return {};
}

Expected<SidecarSections> SidecarSections::find(std::span<const std::byte> bytes,
                                                const std::string& path) {
  SidecarSections sections(bytes, path);
  TRY(sections.read_header());
  TRY(sections.find_all());
  return sections;
}

}  // namespace gprof
