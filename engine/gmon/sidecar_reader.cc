// Reads sidecars: the header and its checksum, then the sections, first located and then decoded by
// kind, because references may precede what they refer to.
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/entry_view.h"
#include "engine/gmon/sidecar.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/support/byte_reader.h"
#include "engine/support/input_file.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

using namespace gprof_formats;

// Texts may overlap, so that a small file could ask for a lot of memory.
constexpr std::uint64_t text_allowance = std::uint64_t{16} << 20;
constexpr std::size_t kind_count = 12;
// Of older files.
constexpr std::size_t smallest_process_size = offsetof(ProcessEntry, sampling);
constexpr std::size_t smallest_sample_size = offsetof(SamplePlace, excess_variance);
constexpr std::size_t smallest_thread_size = offsetof(ThreadEntry, name);

struct Section {
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

class SidecarReader {
 public:
  SidecarReader(std::span<const std::byte> bytes, const std::string& path)
      : bytes_(bytes), path_(path), text_left_(text_allowance + bytes.size()) {}

  Expected<Sidecar> read();

 private:
  Expected<void> read_header();
  Expected<void> check_whole(std::uint64_t file_size, std::uint32_t expected_checksum) const;
  Expected<void> find_sections();
  Expected<void> add_section(std::uint32_t kind, const Section& section);
  Expected<void> read_process();
  Expected<void> read_modules();
  Expected<void> read_names();
  Expected<void> read_arcs();
  Expected<void> read_threads();
  Expected<void> read_samples();
  Expected<void> read_stacks();
  Expected<void> read_timeline();
  template <typename Whole>
  Expected<void> read_parts(SectionKind kind, const std::vector<Whole>& wholes,
                            std::vector<SidecarPart>& parts);
  Expected<void> add_frame(std::vector<ModuleAddress>& frames, ModuleAddress frame,
                           std::uint32_t mark, std::uint64_t offset) const;

  Expected<std::string> text(std::uint32_t text_offset, std::uint64_t where);
  [[nodiscard]] bool known(const ModuleAddress& place) const {
    return place.module == no_module || place.module < sidecar_.modules.size();
  }
  [[nodiscard]] const Section& section(SectionKind kind) const {
    return sections_[static_cast<std::size_t>(kind)].section;
  }
  [[nodiscard]] Error error(ErrorCode code, std::string message, std::uint64_t offset) const {
    return Error{code, std::move(message), path_, offset};
  }
  [[nodiscard]] Error unknown_module(std::string_view what, std::uint64_t offset) const {
    return error(ErrorCode::corrupt,
                 fmt::format("{} of one of {} modules expected, another module's number found; the "
                             "file is damaged: run the program again",
                             what, sidecar_.modules.size()),
                 offset);
  }

  struct FoundSection {
    bool found = false;
    Section section;
  };

  std::span<const std::byte> bytes_;
  std::string path_;
  std::uint64_t text_left_;
  std::uint64_t sections_begin_ = 0;
  std::array<FoundSection, kind_count> sections_;
  std::vector<std::uint32_t> name_offsets_;  // in the strings, ascending; of sidecar_.names
  Sidecar sidecar_;
};

Expected<Sidecar> SidecarReader::read() {
  TRY(read_header());
  TRY(find_sections());
  TRY(read_process());
  TRY(read_modules());
  TRY(read_names());
  TRY(read_arcs());
  TRY(read_threads());
  TRY(read_samples());
  TRY(read_stacks());
  TRY(read_timeline());
  TRY(read_parts(SectionKind::arc_parts, sidecar_.arcs, sidecar_.arc_parts));
  TRY(read_parts(SectionKind::sample_parts, sidecar_.samples, sidecar_.sample_parts));
  TRY(read_parts(SectionKind::stack_parts, sidecar_.stacks, sidecar_.stack_parts));
  return std::move(sidecar_);
}

Expected<void> SidecarReader::read_header() {
  ByteReader reader(bytes_, ByteOrder::little, path_);
  const auto found = reader.read_bytes(sizeof(SidecarHeader), "the sidecar's header");
  const auto header = EntryView(bytes_).as<SidecarHeader>();
  if (text_before_zero(header.magic) != characters_of(sidecar_magic).substr(0, bytes_.size())) {
    return error(ErrorCode::wrong_format,
                 "a sidecar expected, which begins with \"gprofgpx\"; name the file that lies "
                 "beside the profile and ends in .gpx",
                 0);
  }
  if (!found) return found.error();
  if (!is_known_sidecar(header.version)) {
    return error(ErrorCode::unsupported,
                 fmt::format("a sidecar of version 1 to {} expected, {} found; use the gprof-lsp "
                             "that came with the collector",
                             sidecar_version, header.version),
                 offsetof(SidecarHeader, version));
  }
  sections_begin_ = header.header_size;
  if (sections_begin_ < sizeof(header) || sections_begin_ % section_alignment != 0) {
    return error(ErrorCode::corrupt,
                 fmt::format("a header of at least {} bytes expected, {} found; the file is "
                             "damaged: run the program again",
                             sizeof(header), sections_begin_),
                 offsetof(SidecarHeader, header_size));
  }
  sidecar_.machine = header.machine;
  sidecar_.process.process_start = header.process_start;
  return check_whole(header.file_size, header.checksum);
}

Expected<void> SidecarReader::check_whole(std::uint64_t file_size,
                                          std::uint32_t expected_checksum) const {
  if (file_size > bytes_.size() || sections_begin_ > bytes_.size()) {
    return error(ErrorCode::truncated,
                 fmt::format("a sidecar of {} bytes expected, {} found; the file was copied only "
                             "in part: copy it again",
                             std::max(file_size, sections_begin_), bytes_.size()),
                 bytes_.size());
  }
  if (file_size < bytes_.size()) {
    return error(ErrorCode::corrupt,
                 fmt::format("a sidecar of {} bytes expected, more found; the file is damaged: run "
                             "the program again",
                             file_size),
                 file_size);
  }
  const std::uint32_t found = sidecar_checksum(bytes_.subspan(sections_begin_));
  if (found == expected_checksum) return {};
  return error(ErrorCode::corrupt,
               fmt::format("the checksum {:#010x} expected, {:#010x} found; the file is damaged: "
                           "run the program again",
                           expected_checksum, found),
               offsetof(SidecarHeader, checksum));
}

Expected<void> SidecarReader::find_sections() {
  std::uint64_t offset = sections_begin_;
  while (offset < bytes_.size()) {
    const std::uint64_t left = bytes_.size() - offset;
    if (left < sizeof(SectionHeader)) {
      return error(ErrorCode::truncated, "the file ends inside a section's header", offset);
    }
    const auto header = EntryView(bytes_.subspan(offset)).as<SectionHeader>();
    const std::uint64_t payload_left = left - sizeof(SectionHeader);
    Section section{offset + sizeof(SectionHeader), header.entry_size, header.count, {}};
    if (section.entry_size != 0 && section.count > payload_left / section.entry_size) {
      return error(ErrorCode::truncated,
                   fmt::format("the file ends inside a section: {} entries of {} bytes expected, "
                               "{} bytes left",
                               section.count, section.entry_size, payload_left),
                   offset);
    }
    const std::uint64_t size = section.count * section.entry_size;
    section.bytes = bytes_.subspan(section.offset, size);
    TRY(add_section(header.kind, section));
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

Expected<void> SidecarReader::add_section(std::uint32_t kind, const Section& section) {
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
                                                            sizeof(PartEntry)};
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
                     kind == static_cast<std::uint32_t>(SectionKind::stacks);
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

Expected<std::string> SidecarReader::text(std::uint32_t text_offset, std::uint64_t where) {
  if (text_offset == 0) return std::string();
  const Section& strings = section(SectionKind::strings);
  const std::string_view all(reinterpret_cast<const char*>(strings.bytes.data()),
                             strings.bytes.size());
  const std::size_t end =
      text_offset < all.size() ? all.find('\0', text_offset) : std::string_view::npos;
  if (end == std::string_view::npos) {
    return error(ErrorCode::corrupt,
                 fmt::format("a text at byte {} of the strings expected, they have {} bytes and no "
                             "end of a text there; the file is damaged: run the program again",
                             text_offset, all.size()),
                 where);
  }
  const std::string_view found = all.substr(text_offset, end - text_offset);
  if (found.size() > text_left_) {
    return error(ErrorCode::corrupt,
                 "texts no longer than the file expected, the same ones found again and again; "
                 "the file is damaged: run the program again",
                 where);
  }
  text_left_ -= found.size();
  return std::string(found);
}

Expected<void> SidecarReader::read_process() {
  const Section& found = section(SectionKind::process);
  if (found.count != 1) {
    return error(ErrorCode::corrupt,
                 fmt::format("one process expected, {} found; the file is damaged: run the program "
                             "again",
                             found.count),
                 found.offset);
  }
  const auto entry = found.entry<ProcessEntry>(0);
  SidecarProcess& process = sidecar_.process;
  process.process = entry.process;
  process.parent_process = entry.parent_process;
  process.start_time = entry.start_time;
  process.end_time = entry.end_time;
  process.ending = static_cast<Ending>(entry.ending);
  process.exit_status = entry.exit_status;
  process.requested_rate = entry.requested_rate;
  process.sample_source = static_cast<SampleSource>(entry.sample_source);
  process.flags = entry.flags;
  process.image_number = entry.image_number;
  process.cpu_time = entry.cpu_time;
  process.signals = entry.signals;
  process.samples = entry.samples;
  process.calls = entry.calls;
  process.lost_calls = entry.lost_calls;
  process.lost_samples = entry.lost_samples;
  process.lost_stacks = entry.lost_stacks;
  process.price_picoseconds = entry.price_picoseconds;
  process.sampling = entry.sampling;
  process.recorded_process = entry.recorded_process;
  return {};
}

Expected<void> SidecarReader::read_modules() {
  const Section& found = section(SectionKind::modules);
  sidecar_.modules.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<ModuleEntry>(i);
    SidecarModule& module = sidecar_.modules.emplace_back();
    module.bias = entry.bias;
    module.text = {Address{entry.text_low}, Address{entry.text_high}};
    module.flags = entry.flags;
    const std::pair<std::string*, std::uint32_t> texts[] = {{&module.path, entry.path},
                                                            {&module.soname, entry.soname},
                                                            {&module.build_id, entry.build_id},
                                                            {&module.file, entry.file}};
    for (const auto& [into, text_offset] : texts) {
      TRY_ASSIGN(auto value, text(text_offset, found.offset_of(i)));
      *into = std::move(value);
    }
  }
  return {};
}

// Each name once, in the order of the strings, so that arcs compare as in the file.
Expected<void> SidecarReader::read_names() {
  const Section& arcs = section(SectionKind::arcs);
  std::vector<std::uint32_t> offsets = {0};
  for (std::uint64_t i = 0; i < arcs.count; ++i) {
    const std::uint32_t name = arcs.entry<ArcEntry>(i).via_name;
    if (name != offsets.back()) offsets.push_back(name);
  }
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  sidecar_.names.clear();
  for (const std::uint32_t offset : offsets) {
    TRY_ASSIGN(auto name, text(offset, arcs.offset));
    sidecar_.names.push_back(std::move(name));
  }
  name_offsets_ = std::move(offsets);
  return {};
}

Expected<void> SidecarReader::read_arcs() {
  const Section& found = section(SectionKind::arcs);
  sidecar_.arcs.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<ArcEntry>(i);
    SidecarArc arc;
    arc.from = {entry.from_module, Address{entry.from}};
    arc.self = {entry.self_module, Address{entry.self}};
    arc.profiled_caller = {entry.profiled_caller_module, Address{entry.profiled_caller}};
    arc.flags = entry.flags;
    arc.via = {entry.via_module, Address{entry.via}};
    arc.count = entry.count;
    if (!known(arc.from) || !known(arc.self) || !known(arc.profiled_caller) || !known(arc.via)) {
      return unknown_module("an arc", found.offset_of(i));
    }
    const auto name = std::lower_bound(name_offsets_.begin(), name_offsets_.end(), entry.via_name);
    arc.via_name = static_cast<std::uint32_t>(name - name_offsets_.begin());
    sidecar_.arcs.push_back(arc);
  }
  return {};
}

Expected<void> SidecarReader::read_threads() {
  const Section& found = section(SectionKind::threads);
  sidecar_.threads.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<ThreadEntry>(i);
    TRY_ASSIGN(auto name, text(entry.name, found.offset_of(i)));
    sidecar_.threads.push_back({.thread = entry.thread,
                                .ended = entry.ended != 0,
                                .calls = entry.calls,
                                .samples = entry.samples,
                                .signals = entry.signals,
                                .cpu_time = entry.cpu_time,
                                .name = std::move(name),
                                .process = entry.process,
                                .start_time = entry.start_time});
  }
  return {};
}

Expected<void> SidecarReader::read_samples() {
  const Section& found = section(SectionKind::samples);
  sidecar_.samples.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<SamplePlace>(i);
    const SidecarSample sample{
        {entry.module, Address{entry.address}}, entry.count, entry.excess_variance};
    if (!known(sample.place)) return unknown_module("a sample", found.offset_of(i));
    sidecar_.samples.push_back(sample);
  }
  return {};
}

// The group that a repetition repeats must precede it and contain no marks.
Expected<void> SidecarReader::add_frame(std::vector<ModuleAddress>& frames, ModuleAddress frame,
                                        std::uint32_t mark, std::uint64_t offset) const {
  if (mark == frames_left_out) {
    frame.module = stack_marks::left_out;
  } else if (mark != 0) {
    const auto group = std::find_if(frames.rbegin(), frames.rend(),
                                    [](const ModuleAddress& before) { return before.is_mark(); });
    const auto available = static_cast<std::uint64_t>(group - frames.rbegin());
    if (mark > std::min<std::uint64_t>(available, stack_marks::longest_group)) {
      return error(ErrorCode::corrupt,
                   fmt::format("a repetition of at most {} frames expected, of {} found; the file "
                               "is damaged: run the program again",
                               available, mark),
                   offset);
    }
    frame.module = stack_marks::repeat + mark;
  }
  frames.push_back(frame);
  return {};
}

Expected<void> SidecarReader::read_stacks() {
  const Section& found = section(SectionKind::stacks);
  std::uint64_t place = 0;
  while (place < found.bytes.size()) {
    const std::uint64_t left = found.bytes.size() - place;
    const EntryView view(found.bytes.subspan(place));
    const auto entry = view.as<StackEntry>();
    const std::uint64_t room =
        left < sizeof(StackEntry) ? 0 : (left - sizeof(StackEntry)) / sizeof(StackFrame);
    if (entry.depth == 0 || entry.depth > room) {
      return error(ErrorCode::corrupt,
                   fmt::format("a stack of 1 to {} frames expected, {} found; the file is damaged: "
                               "run the program again",
                               room, entry.depth),
                   found.offset + place);
    }
    SidecarStack& stack = sidecar_.stacks.emplace_back();
    stack.count = entry.count;
    stack.truncated = entry.truncated != 0;
    stack.frames.reserve(entry.depth);
    for (std::uint64_t i = 0; i < entry.depth; ++i) {
      const std::uint64_t frame = sizeof(StackEntry) + i * sizeof(StackFrame);
      const auto found_frame = view.at<StackFrame>(frame);
      const ModuleAddress read{found_frame.module, Address{found_frame.address}};
      if (!known(read)) return unknown_module("a frame", found.offset + place + frame);
      const std::uint32_t mark = read.module == no_module ? found_frame.mark : 0;
      TRY(add_frame(stack.frames, read, mark, found.offset + place + frame));
    }
    place += sizeof(StackEntry) + entry.depth * sizeof(StackFrame);
  }
  return {};
}

Expected<void> SidecarReader::read_timeline() {
  const Section& found = section(SectionKind::timeline);
  if (found.count == 0) return {};
  if (found.count != 1) {
    return error(ErrorCode::corrupt,
                 fmt::format("one time line expected, {} found; the file is damaged: run the "
                             "program again",
                             found.count),
                 found.offset);
  }
  const auto entry = found.entry<TimelineEntry>(0);
  const std::string problem = timeline_problem(entry.slice_width, entry.slices);
  if (!problem.empty()) {
    return error(ErrorCode::corrupt, problem + "; the file is damaged: run the program again",
                 found.offset);
  }
  sidecar_.slice_width = entry.slice_width;
  sidecar_.slices = entry.slices;
  return {};
}

template <typename Whole>
Expected<void> SidecarReader::read_parts(SectionKind kind, const std::vector<Whole>& wholes,
                                         std::vector<SidecarPart>& parts) {
  const Section& found = section(kind);
  parts.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<PartEntry>(i);
    parts.push_back({.whole = entry.whole,
                     .thread = entry.thread,
                     .slice = entry.slice,
                     .count = entry.count,
                     .excess_variance = entry.excess_variance});
  }
  std::vector<WholeCount> counts;
  if (!parts.empty()) {
    counts.reserve(wholes.size());
    for (const Whole& whole : wholes) counts.push_back(count_of_whole(whole));
  }
  const auto problem = find_problem(parts, counts, sidecar_);
  if (!problem) return {};
  return error(ErrorCode::corrupt,
               problem->message + "; the file is damaged: run the program again",
               found.offset_of(problem->part));
}

}  // namespace

Expected<Sidecar> read_sidecar(std::span<const std::byte> bytes, const std::string& path) {
  return SidecarReader(bytes, path).read();
}

Expected<Sidecar> read_sidecar_file(const std::filesystem::path& path) {
  TRY_ASSIGN(auto file, InputFile::open(path));
  TRY(check_size(file, largest_profile, "a sidecar"));
  TRY_ASSIGN(auto bytes, file.read_all());
  return read_sidecar(bytes, file.path());
}

}  // namespace gprof
