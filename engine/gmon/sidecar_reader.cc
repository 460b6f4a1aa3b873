// Reads sidecars: the sections, first located and then decoded by kind, because references may
// precede what they refer to.
#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/entry_view.h"
#include "engine/gmon/sidecar.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/gmon/sidecar_sections.h"
#include "engine/support/input_file.h"
#include "engine/support/limits.h"

namespace gprof {
namespace {

using namespace gprof_formats;

// Texts may overlap, so that a small file could ask for a lot of memory.
constexpr std::uint64_t text_allowance = std::uint64_t{16} << 20;

class SidecarReader {
 public:
  SidecarReader(const SidecarSections& sections, std::uint64_t file_size, const std::string& path)
      : sections_(sections), path_(path), text_left_(text_allowance + file_size) {}

  Expected<Sidecar> read();

 private:
  Expected<void> read_process();
  Expected<void> read_modules();
  Expected<void> read_names();
  Expected<void> read_arcs();
  Expected<void> read_threads();
  Expected<void> read_samples();
  Expected<void> read_stacks(SectionKind kind, std::vector<SidecarStack>& stacks);
  Expected<void> read_waits();
  Expected<void> read_holders();
  Expected<void> read_crashes();
  Expected<void> read_timeline();
  template <typename Whole>
  Expected<void> read_parts(SectionKind kind, const std::vector<Whole>& wholes,
                            std::vector<SidecarPart>& parts);
  Expected<void> add_frame(std::vector<ModuleAddress>& frames, ModuleAddress frame,
                           std::uint32_t mark, std::uint64_t offset) const;

  Expected<std::string> text(std::uint32_t text_offset, std::uint64_t where);
  // The index of the name at that offset in the strings, which is one of name_offsets_.
  [[nodiscard]] std::uint32_t name_at(std::uint32_t text_offset) const {
    const auto name = std::lower_bound(name_offsets_.begin(), name_offsets_.end(), text_offset);
    return static_cast<std::uint32_t>(name - name_offsets_.begin());
  }
  [[nodiscard]] bool known(const ModuleAddress& place) const {
    return place.module == no_module || place.module < sidecar_.modules.size();
  }
  [[nodiscard]] const SidecarSection& section(SectionKind kind) const { return sections_.of(kind); }
  [[nodiscard]] Error error(ErrorCode code, std::string message, std::uint64_t offset) const {
    return Error{code, std::move(message), path_, offset};
  }
  [[nodiscard]] Error damage(const EntryProblem& problem, const SidecarSection& found) const {
    return error(ErrorCode::corrupt,
                 problem.message + "; the file is damaged: run the program again",
                 found.offset_of(problem.entry));
  }
  [[nodiscard]] Error unknown_module(std::string_view what, std::uint64_t offset) const {
    return error(ErrorCode::corrupt,
                 fmt::format("{} of one of {} modules expected, another module's number found; the "
                             "file is damaged: run the program again",
                             what, sidecar_.modules.size()),
                 offset);
  }

  const SidecarSections& sections_;
  std::string path_;
  std::uint64_t text_left_;
  std::vector<std::uint32_t> name_offsets_;  // in the strings, ascending; of sidecar_.names
  Sidecar sidecar_;
};

Expected<Sidecar> SidecarReader::read() {
  sidecar_.machine = sections_.header().machine;
  sidecar_.process.process_start = sections_.header().process_start;
  TRY(read_process());
  TRY(read_modules());
  TRY(read_names());
  TRY(read_arcs());
  TRY(read_threads());
  TRY(read_samples());
  TRY(read_stacks(SectionKind::stacks, sidecar_.stacks));
  TRY(read_stacks(SectionKind::wait_stacks, sidecar_.wait_stacks));
  TRY(read_waits());
  TRY(read_timeline());
  TRY(read_parts(SectionKind::arc_parts, sidecar_.arcs, sidecar_.arc_parts));
  TRY(read_parts(SectionKind::sample_parts, sidecar_.samples, sidecar_.sample_parts));
  TRY(read_parts(SectionKind::stack_parts, sidecar_.stacks, sidecar_.stack_parts));
  TRY(read_parts(SectionKind::wait_parts, sidecar_.waits, sidecar_.wait_parts));
  TRY(read_holders());
  TRY(read_crashes());
  return std::move(sidecar_);
}

Expected<std::string> SidecarReader::text(std::uint32_t text_offset, std::uint64_t where) {
  if (text_offset == 0) return std::string();
  const SidecarSection& strings = section(SectionKind::strings);
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
  const SidecarSection& found = section(SectionKind::process);
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
  process.unsampled_time = entry.unsampled_time;
  process.earlier_time = entry.earlier_time;
  return {};
}

Expected<void> SidecarReader::read_modules() {
  const SidecarSection& found = section(SectionKind::modules);
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
  const SidecarSection& arcs = section(SectionKind::arcs);
  const SidecarSection& waits = section(SectionKind::waits);
  std::vector<std::uint32_t> offsets = {0};
  for (std::uint64_t i = 0; i < arcs.count; ++i) {
    const std::uint32_t name = arcs.entry<ArcEntry>(i).via_name;
    if (name != offsets.back()) offsets.push_back(name);
  }
  for (std::uint64_t i = 0; i < waits.count; ++i) {
    const std::uint32_t name = waits.entry<WaitEntry>(i).function;
    if (name != offsets.back()) offsets.push_back(name);
  }
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  sidecar_.names.clear();
  for (const std::uint32_t offset : offsets) {
    TRY_ASSIGN(auto name, text(offset, arcs.count != 0 ? arcs.offset : waits.offset));
    sidecar_.names.push_back(std::move(name));
  }
  name_offsets_ = std::move(offsets);
  return {};
}

Expected<void> SidecarReader::read_arcs() {
  const SidecarSection& found = section(SectionKind::arcs);
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
    arc.via_name = name_at(entry.via_name);
    sidecar_.arcs.push_back(arc);
  }
  return {};
}

Expected<void> SidecarReader::read_threads() {
  const SidecarSection& found = section(SectionKind::threads);
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
  const SidecarSection& found = section(SectionKind::samples);
  sidecar_.samples.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<SamplePlace>(i);
    const SidecarSample sample{{entry.module, Address{entry.address}},
                               entry.count,
                               entry.excess_variance,
                               entry.kernel_count};
    if (!known(sample.place)) return unknown_module("a sample", found.offset_of(i));
    if (const std::string problem = kernel_problem(sample); !problem.empty()) {
      return damage({i, problem}, found);
    }
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

Expected<void> SidecarReader::read_stacks(SectionKind kind, std::vector<SidecarStack>& stacks) {
  const SidecarSection& found = section(kind);
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
    SidecarStack& stack = stacks.emplace_back();
    stack.count = entry.count;
    stack.truncated = entry.truncated != 0;
    stack.frames.reserve(entry.depth);
    for (std::uint64_t i = 0; i < entry.depth; ++i) {
      const std::uint64_t frame = sizeof(StackEntry) + i * sizeof(StackFrame);
      const auto found_frame = view.at<StackFrame>(frame);
      const ModuleAddress read{found_frame.module, Address{found_frame.address}};
      if (!known(read)) return unknown_module("a frame", found.offset + place + frame);
      const std::uint32_t mark = read.module == no_module ? found_frame.mark : 0;
      const bool inferred = read.module != no_module && found_frame.mark == frame_inferred;
      if (inferred && stack.inferred_from == 0) stack.inferred_from = static_cast<std::uint32_t>(i);
      TRY(add_frame(stack.frames, read, mark, found.offset + place + frame));
    }
    place += sizeof(StackEntry) + entry.depth * sizeof(StackFrame);
  }
  return {};
}

Expected<void> SidecarReader::read_waits() {
  const SidecarSection& found = section(SectionKind::waits);
  sidecar_.waits.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<WaitEntry>(i);
    sidecar_.waits.push_back({.stack = entry.stack,
                              .kind = known_wait_kind(entry.kind),
                              .times = entry.times,
                              .total = entry.total,
                              .longest = entry.longest,
                              .function = name_at(entry.function)});
  }
  const auto problem = find_problem(sidecar_.waits, sidecar_.wait_stacks.size());
  return problem ? damage(*problem, found) : Expected<void>();
}

Expected<void> SidecarReader::read_holders() {
  const SidecarSection& found = section(SectionKind::wait_holders);
  sidecar_.wait_holders.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<HolderEntry>(i);
    sidecar_.wait_holders.push_back(
        {.wait = entry.wait, .holder = entry.holder, .times = entry.times, .time = entry.time});
  }
  const auto problem =
      find_problem(sidecar_.wait_holders, sidecar_.waits.size(), sidecar_.wait_stacks.size());
  return problem ? damage(*problem, found) : Expected<void>();
}

Expected<void> SidecarReader::read_crashes() {
  const SidecarSection& found = section(SectionKind::crashes);
  std::vector<SidecarStack> stacks;
  TRY(read_stacks(SectionKind::crash_stacks, stacks));
  if (stacks.size() != found.count) {
    return error(ErrorCode::corrupt,
                 fmt::format("a stack for each of {} crashes expected, {} found; the file is "
                             "damaged: run the program again",
                             found.count, stacks.size()),
                 section(SectionKind::crash_stacks).offset);
  }
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<CrashEntry>(i);
    const bool is_known = entry.thread < sidecar_.threads.size();
    sidecar_.crashes.push_back({.signal = entry.signal,
                                .code = entry.code,
                                .address = entry.address,
                                .thread = is_known ? entry.thread : no_thread,
                                .stack = std::move(stacks[i])});
  }
  return {};
}

Expected<void> SidecarReader::read_timeline() {
  const SidecarSection& found = section(SectionKind::timeline);
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
  const SidecarSection& found = section(kind);
  parts.reserve(found.count);
  for (std::uint64_t i = 0; i < found.count; ++i) {
    const auto entry = found.entry<PartEntry>(i);
    parts.push_back({.whole = entry.whole,
                     .thread = entry.thread,
                     .slice = entry.slice,
                     .count = entry.count,
                     .excess_variance = entry.excess_variance,
                     .kernel_count = entry.kernel_count});
  }
  std::vector<WholeCount> counts;
  if (!parts.empty()) {
    counts.reserve(wholes.size());
    for (const Whole& whole : wholes) counts.push_back(count_of_whole(whole));
  }
  const auto problem = find_problem(parts, counts, sidecar_);
  return problem ? damage(*problem, found) : Expected<void>();
}

}  // namespace

Expected<Sidecar> read_sidecar(std::span<const std::byte> bytes, const std::string& path) {
  TRY_ASSIGN(const auto sections, SidecarSections::find(bytes, path));
  return SidecarReader(sections, bytes.size(), path).read();
}

Expected<Sidecar> read_sidecar_file(const std::filesystem::path& path) {
  TRY_ASSIGN(auto file, InputFile::open(path));
  TRY(check_size(file, largest_profile, "a sidecar"));
  TRY_ASSIGN(auto bytes, file.read_all());
  return read_sidecar(bytes, file.path());
}

}  // namespace gprof
