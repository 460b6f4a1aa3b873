// Writes sidecars.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "engine/gmon/sidecar.h"
#include "engine/gmon/sidecar_parts.h"
#include "engine/support/byte_writer.h"

namespace gprof {
namespace {

using namespace gprof_formats;

constexpr std::uint64_t largest_u32 = std::numeric_limits<std::uint32_t>::max();

Error refusal(std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), {}, std::nullopt};
}

// As stored in the file with no module; 0: a frame.
std::uint32_t mark_of(const ModuleAddress& frame) {
  if (!frame.is_mark()) return 0;
  return frame.group_length() != 0 ? frame.group_length() : frames_left_out;
}

// Indices of the entries in the order given by `before`.
template <typename Entry, typename Before>
std::vector<std::size_t> order_of(const std::vector<Entry>& entries, Before before) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return before(entries[a], entries[b]); });
  return order;
}

// Where each entry is in that order.
std::vector<std::uint32_t> places_of(const std::vector<std::size_t>& order) {
  std::vector<std::uint32_t> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = static_cast<std::uint32_t>(i);
  return places;
}

// An index into what was put in order. One of nothing keeps its number, for the check to find.
void renumber(std::uint32_t& index, const std::vector<std::uint32_t>& places) {
  if (index < places.size()) index = places[index];
}

// The parts with the numbers that their wholes have in the file, in order.
std::vector<SidecarPart> renumbered_parts(std::vector<SidecarPart> parts,
                                          const std::vector<std::size_t>& order) {
  if (parts.empty()) return parts;
  const std::vector<std::uint32_t> places = places_of(order);
  for (SidecarPart& part : parts) renumber(part.whole, places);
  if (!std::is_sorted(parts.begin(), parts.end(), comes_before)) {
    std::sort(parts.begin(), parts.end(), comes_before);
  }
  return parts;
}

// What parts may add up to, in the order of the file.
template <typename Whole>
std::vector<WholeCount> counts_in_order(const std::vector<Whole>& wholes,
                                        const std::vector<std::size_t>& order) {
  std::vector<WholeCount> counts;
  counts.reserve(order.size());
  for (const std::size_t index : order) counts.push_back(count_of_whole(wholes[index]));
  return counts;
}

class SidecarWriter {
 public:
  explicit SidecarWriter(const Sidecar& sidecar) : sidecar_(sidecar) { put_in_order(); }

  Expected<std::vector<std::byte>> write();

 private:
  void put_in_order();
  void put_waits_in_order();
  [[nodiscard]] Expected<void> check() const;
  [[nodiscard]] Expected<void> check_stacks(const std::vector<SidecarStack>& stacks) const;
  [[nodiscard]] Expected<void> check_waits() const;
  [[nodiscard]] Expected<void> check_parts() const;
  [[nodiscard]] bool known(const ModuleAddress& place) const {
    return place.module == no_module || place.module < sidecar_.modules.size();
  }
  Expected<void> add_texts();
  Expected<std::uint32_t> add_text(const std::string& text);
  Expected<void> add_text_once(const std::string& text);

  void begin_section(SectionKind kind, std::size_t entry_size, std::uint64_t count);
  void end_section();
  void write_strings();
  void write_process();
  void write_modules();
  void write_arcs();
  void write_threads();
  void write_samples();
  void write_stacks(SectionKind kind, const std::vector<SidecarStack>& stacks,
                    const std::vector<std::size_t>& order);
  void write_waits();
  void write_crashes();
  void write_timeline();
  void write_parts(SectionKind kind, const std::vector<SidecarPart>& parts);

  const Sidecar& sidecar_;
  std::string strings_ = std::string(1, '\0');
  std::vector<std::uint32_t> name_offsets_;
  std::map<std::string, std::uint32_t> text_offsets_;  // of modules' and threads' texts
  [[nodiscard]] bool has_waits() const {
    return !sidecar_.wait_stacks.empty() || !sidecar_.waits.empty();
  }

  // Of the arcs, samples and stacks in the file; and the waits, holders and parts as there.
  std::vector<std::size_t> arc_order_;
  std::vector<std::size_t> sample_order_;
  std::vector<std::size_t> stack_order_;
  std::vector<std::size_t> wait_stack_order_;
  std::vector<SidecarStack> crash_stacks_;  // in the order of the crashes
  std::vector<SidecarWait> waits_;
  std::vector<SidecarHolder> holders_;
  std::vector<SidecarPart> wait_parts_;
  std::vector<SidecarPart> arc_parts_;
  std::vector<SidecarPart> sample_parts_;
  std::vector<SidecarPart> stack_parts_;
  ByteWriter writer_{ByteOrder::little, PointerWidth::eight};
};

void SidecarWriter::put_in_order() {
  arc_order_ = order_of(sidecar_.arcs, [](const SidecarArc& a, const SidecarArc& b) {
    return compare_places(a, b) < 0;
  });
  sample_order_ = order_of(sidecar_.samples, [](const SidecarSample& a, const SidecarSample& b) {
    return a.place < b.place;
  });
  const auto more_often = [](const SidecarStack& a, const SidecarStack& b) {
    return a.count != b.count ? a.count > b.count : a.frames < b.frames;
  };
  stack_order_ = order_of(sidecar_.stacks, more_often);
  wait_stack_order_ = order_of(sidecar_.wait_stacks, more_often);
  arc_parts_ = renumbered_parts(sidecar_.arc_parts, arc_order_);
  sample_parts_ = renumbered_parts(sidecar_.sample_parts, sample_order_);
  stack_parts_ = renumbered_parts(sidecar_.stack_parts, stack_order_);
  put_waits_in_order();
  for (const SidecarCrash& crash : sidecar_.crashes) crash_stacks_.push_back(crash.stack);
}

void SidecarWriter::put_waits_in_order() {
  const std::vector<std::uint32_t> stacks = places_of(wait_stack_order_);
  std::vector<SidecarWait> waits = sidecar_.waits;
  for (SidecarWait& wait : waits) renumber(wait.stack, stacks);
  const auto order = order_of(waits, comes_before);
  for (const std::size_t index : order) waits_.push_back(waits[index]);
  wait_parts_ = renumbered_parts(sidecar_.wait_parts, order);
  const std::vector<std::uint32_t> places = places_of(order);
  holders_ = sidecar_.wait_holders;
  for (SidecarHolder& holder : holders_) {
    renumber(holder.wait, places);
    renumber(holder.holder, stacks);
  }
  std::ranges::sort(
      holders_, [](const SidecarHolder& a, const SidecarHolder& b) { return comes_before(a, b); });
}

Expected<void> SidecarWriter::check_parts() const {
  std::string problem = timeline_problem(sidecar_.slice_width, sidecar_.slices);
  if (!problem.empty()) return refusal(std::move(problem));
  const auto check = [&](const std::vector<SidecarPart>& parts, const auto& wholes,
                         const std::vector<std::size_t>& order) -> Expected<void> {
    if (parts.empty()) return {};
    auto found = find_problem(parts, counts_in_order(wholes, order), sidecar_);
    if (found) return refusal(std::move(found->message));
    return {};
  };
  TRY(check(arc_parts_, sidecar_.arcs, arc_order_));
  TRY(check(sample_parts_, sidecar_.samples, sample_order_));
  TRY(check(stack_parts_, sidecar_.stacks, stack_order_));
  std::vector<std::size_t> as_they_are(waits_.size());
  std::iota(as_they_are.begin(), as_they_are.end(), std::size_t{0});
  return check(wait_parts_, waits_, as_they_are);
}

Expected<void> SidecarWriter::check_stacks(const std::vector<SidecarStack>& stacks) const {
  for (const SidecarStack& stack : stacks) {
    if (stack.frames.empty() || stack.frames.size() > largest_u32) {
      return refusal("a stack of at least one frame expected");
    }
    if (!std::all_of(stack.frames.begin(), stack.frames.end(),
                     [&](const ModuleAddress& frame) { return frame.is_mark() || known(frame); })) {
      return refusal("a stack names a module that the sidecar does not have");
    }
  }
  return {};
}

Expected<void> SidecarWriter::check_waits() const {
  auto problem = find_problem(waits_, sidecar_.wait_stacks.size());
  if (!problem) problem = find_problem(holders_, waits_.size(), sidecar_.wait_stacks.size());
  if (problem) return refusal(std::move(problem->message));
  const bool named = std::ranges::all_of(waits_, [&](const SidecarWait& wait) {
    return wait.function == 0 || wait.function < sidecar_.names.size();
  });
  return named ? Expected<void>() : refusal("a wait has a name that the sidecar does not have");
}

Expected<void> SidecarWriter::check() const {
  const auto unknown = [](std::string_view what) {
    return refusal(fmt::format("{} names a module that the sidecar does not have", what));
  };
  for (const SidecarArc& arc : sidecar_.arcs) {
    if (!known(arc.from) || !known(arc.self) || !known(arc.profiled_caller) || !known(arc.via)) {
      return unknown("an arc");
    }
    if (arc.via_name != 0 && arc.via_name >= sidecar_.names.size()) {
      return refusal("an arc has a name that the sidecar does not have");
    }
  }
  for (const SidecarSample& sample : sidecar_.samples) {
    if (!known(sample.place)) return unknown("a sample");
    std::string problem = kernel_problem(sample);
    if (!problem.empty()) return refusal(std::move(problem));
  }
  TRY(check_stacks(sidecar_.stacks));
  TRY(check_stacks(sidecar_.wait_stacks));
  TRY(check_stacks(crash_stacks_));
  TRY(check_waits());
  if (!sidecar_.names.empty() && !sidecar_.names.front().empty()) {
    return refusal("the first of the sidecar's names has to be the empty one");
  }
  return check_parts();
}

Expected<std::uint32_t> SidecarWriter::add_text(const std::string& text) {
  if (text.find('\0') != std::string::npos)
    return refusal("a text of the sidecar holds a zero byte");
  if (strings_.size() + text.size() >= largest_u32) {
    return refusal("the texts of the sidecar take more than 4 GiB");
  }
  const auto offset = static_cast<std::uint32_t>(strings_.size());
  strings_ += text;
  strings_ += '\0';
  return offset;
}

// Names in sorted order, so that arcs sorted by name index are also sorted by name offset.
Expected<void> SidecarWriter::add_texts() {
  std::vector<bool> used(std::max<std::size_t>(1, sidecar_.names.size()));
  for (const SidecarArc& arc : sidecar_.arcs) used[arc.via_name] = true;
  for (const SidecarWait& wait : sidecar_.waits) used[wait.function] = true;
  name_offsets_.resize(used.size());
  for (std::size_t i = 1; i < used.size(); ++i) {
    if (!used[i]) continue;
    TRY_ASSIGN(auto offset, add_text(sidecar_.names[i]));
    name_offsets_[i] = offset;
  }
  text_offsets_[""] = 0;
  for (const SidecarModule& module : sidecar_.modules) {
    for (const std::string* text : {&module.path, &module.soname, &module.build_id, &module.file}) {
      TRY(add_text_once(*text));
    }
  }
  for (const SidecarThread& thread : sidecar_.threads) TRY(add_text_once(thread.name));
  return {};
}

Expected<void> SidecarWriter::add_text_once(const std::string& text) {
  if (text_offsets_.contains(text)) return {};
  TRY_ASSIGN(auto offset, add_text(text));
  text_offsets_[text] = offset;
  return {};
}

void SidecarWriter::begin_section(SectionKind kind, std::size_t entry_size, std::uint64_t count) {
  writer_.put_entry(SectionHeader{.kind = static_cast<std::uint32_t>(kind),
                                  .entry_size = static_cast<std::uint32_t>(entry_size),
                                  .count = count});
  writer_.reserve(writer_.size() + entry_size * count + section_alignment);
}

void SidecarWriter::end_section() {
  while (writer_.size() % section_alignment != 0) writer_.put(0, 1);
}

void SidecarWriter::write_strings() {
  begin_section(SectionKind::strings, sizeof(char), strings_.size());
  writer_.put_text(strings_, strings_.size());
  end_section();
}

void SidecarWriter::write_process() {
  const SidecarProcess& process = sidecar_.process;
  begin_section(SectionKind::process, sizeof(ProcessEntry), 1);
  writer_.put_entry(ProcessEntry{.process = process.process,
                                 .parent_process = process.parent_process,
                                 .start_time = process.start_time,
                                 .end_time = process.end_time,
                                 .ending = static_cast<std::uint32_t>(process.ending),
                                 .exit_status = process.exit_status,
                                 .requested_rate = process.requested_rate,
                                 .sample_source = static_cast<std::uint32_t>(process.sample_source),
                                 .flags = process.flags,
                                 .image_number = process.image_number,
                                 .cpu_time = process.cpu_time,
                                 .signals = process.signals,
                                 .samples = process.samples,
                                 .calls = process.calls,
                                 .lost_calls = process.lost_calls,
                                 .lost_samples = process.lost_samples,
                                 .lost_stacks = process.lost_stacks,
                                 .price_picoseconds = process.price_picoseconds,
                                 .sampling = process.sampling,
                                 .recorded_process = process.recorded_process,
                                 .reserved = 0,
                                 .unsampled_time = process.unsampled_time,
                                 .earlier_time = process.earlier_time});
}

void SidecarWriter::write_modules() {
  begin_section(SectionKind::modules, sizeof(ModuleEntry), sidecar_.modules.size());
  for (const SidecarModule& module : sidecar_.modules) {
    writer_.put_entry(ModuleEntry{.bias = module.bias,
                                  .text_low = module.text.low.value,
                                  .text_high = module.text.high.value,
                                  .flags = module.flags,
                                  .path = text_offsets_[module.path],
                                  .soname = text_offsets_[module.soname],
                                  .build_id = text_offsets_[module.build_id],
                                  .file = text_offsets_[module.file],
                                  .reserved = 0});
  }
}

void SidecarWriter::write_arcs() {
  begin_section(SectionKind::arcs, sizeof(ArcEntry), sidecar_.arcs.size());
  for (const std::size_t index : arc_order_) {
    const SidecarArc& arc = sidecar_.arcs[index];
    writer_.put_entry(ArcEntry{.from_module = arc.from.module,
                               .self_module = arc.self.module,
                               .from = arc.from.address.value,
                               .self = arc.self.address.value,
                               .profiled_caller_module = arc.profiled_caller.module,
                               .flags = arc.flags,
                               .profiled_caller = arc.profiled_caller.address.value,
                               .via_module = arc.via.module,
                               .via_name = name_offsets_[arc.via_name],
                               .via = arc.via.address.value,
                               .count = arc.count});
  }
}

void SidecarWriter::write_threads() {
  begin_section(SectionKind::threads, sizeof(ThreadEntry), sidecar_.threads.size());
  for (const SidecarThread& thread : sidecar_.threads) {
    writer_.put_entry(ThreadEntry{.thread = thread.thread,
                                  .ended = thread.ended ? 1U : 0U,
                                  .calls = thread.calls,
                                  .samples = thread.samples,
                                  .signals = thread.signals,
                                  .cpu_time = thread.cpu_time,
                                  .name = text_offsets_[thread.name],
                                  .process = thread.process,
                                  .start_time = thread.start_time});
  }
}

void SidecarWriter::write_samples() {
  begin_section(SectionKind::samples, sizeof(SamplePlace), sidecar_.samples.size());
  for (const std::size_t index : sample_order_) {
    const SidecarSample& sample = sidecar_.samples[index];
    writer_.put_entry(SamplePlace{.module = sample.place.module,
                                  .reserved = 0,
                                  .address = sample.place.address.value,
                                  .count = sample.count,
                                  .excess_variance = sample.excess_variance,
                                  .kernel_count = sample.kernel_count});
  }
}

void SidecarWriter::write_stacks(SectionKind kind, const std::vector<SidecarStack>& stacks,
                                 const std::vector<std::size_t>& order) {
  std::uint64_t size = 0;
  for (const SidecarStack& stack : stacks) {
    size += sizeof(StackEntry) + sizeof(StackFrame) * stack.frames.size();
  }
  begin_section(kind, stack_unit, size / stack_unit);
  for (const std::size_t index : order) {
    const SidecarStack& stack = stacks[index];
    writer_.put_entry(StackEntry{.count = stack.count,
                                 .depth = static_cast<std::uint32_t>(stack.frames.size()),
                                 .truncated = stack.truncated ? 1U : 0U});
    for (std::size_t i = 0; i < stack.frames.size(); ++i) {
      const ModuleAddress& frame = stack.frames[i];
      const bool in_module = !frame.is_mark() && frame.module != no_module;
      const bool inferred = in_module && i != 0 && i == stack.inferred_from;
      writer_.put_entry(StackFrame{.module = frame.is_mark() ? no_module : frame.module,
                                   .mark = inferred ? frame_inferred : mark_of(frame),
                                   .address = frame.address.value});
    }
  }
}

void SidecarWriter::write_waits() {
  if (!has_waits()) return;
  write_stacks(SectionKind::wait_stacks, sidecar_.wait_stacks, wait_stack_order_);
  begin_section(SectionKind::waits, sizeof(WaitEntry), waits_.size());
  for (const SidecarWait& wait : waits_) {
    writer_.put_entry(WaitEntry{.stack = wait.stack,
                                .kind = static_cast<std::uint32_t>(wait.kind),
                                .times = wait.times,
                                .total = wait.total,
                                .longest = wait.longest,
                                .function = name_offsets_[wait.function],
                                .reserved = 0,
                                .unused = 0});
  }
  write_parts(SectionKind::wait_parts, wait_parts_);
  if (holders_.empty()) return;
  begin_section(SectionKind::wait_holders, sizeof(HolderEntry), holders_.size());
  for (const SidecarHolder& holder : holders_) {
    writer_.put_entry(HolderEntry{.wait = holder.wait,
                                  .holder = holder.holder,
                                  .times = holder.times,
                                  .time = holder.time,
                                  .unused = 0});
  }
}

void SidecarWriter::write_crashes() {
  if (sidecar_.crashes.empty()) return;
  begin_section(SectionKind::crashes, sizeof(CrashEntry), sidecar_.crashes.size());
  for (const SidecarCrash& crash : sidecar_.crashes) {
    writer_.put_entry(CrashEntry{.signal = crash.signal,
                                 .code = crash.code,
                                 .address = crash.address,
                                 .thread = crash.thread,
                                 .reserved = 0});
  }
  std::vector<std::size_t> as_they_are(crash_stacks_.size());
  std::iota(as_they_are.begin(), as_they_are.end(), std::size_t{0});
  write_stacks(SectionKind::crash_stacks, crash_stacks_, as_they_are);
}

void SidecarWriter::write_timeline() {
  if (sidecar_.slice_width == 0) return;
  begin_section(SectionKind::timeline, sizeof(TimelineEntry), 1);
  writer_.put_entry(
      TimelineEntry{.slice_width = sidecar_.slice_width, .slices = sidecar_.slices, .reserved = 0});
}

void SidecarWriter::write_parts(SectionKind kind, const std::vector<SidecarPart>& parts) {
  if (parts.empty()) return;
  begin_section(kind, sizeof(PartEntry), parts.size());
  for (const SidecarPart& part : parts) {
    writer_.put_entry(PartEntry{.whole = part.whole,
                                .thread = part.thread,
                                .slice = part.slice,
                                .kernel_count = part.kernel_count,
                                .count = part.count,
                                .excess_variance = part.excess_variance});
  }
}

Expected<std::vector<std::byte>> SidecarWriter::write() {
  TRY(check());
  TRY(add_texts());
  write_strings();
  write_process();
  write_modules();
  write_arcs();
  write_threads();
  write_samples();
  write_stacks(SectionKind::stacks, sidecar_.stacks, stack_order_);
  write_timeline();
  write_parts(SectionKind::arc_parts, arc_parts_);
  write_parts(SectionKind::sample_parts, sample_parts_);
  write_parts(SectionKind::stack_parts, stack_parts_);
  write_waits();
  write_crashes();
  const std::vector<std::byte> sections = writer_.take();
  SidecarHeader header{.magic = {},
                       .version = has_waits() ? sidecar_version : sidecar_version_without_waits,
                       .header_size = sizeof(SidecarHeader),
                       .file_size = sizeof(SidecarHeader) + sections.size(),
                       .checksum = sidecar_checksum(sections),
                       .machine = sidecar_.machine,
                       .process_start = sidecar_.process.process_start,
                       .process = sidecar_.process.process,
                       .ending = static_cast<std::uint32_t>(sidecar_.process.ending),
                       .start_time = sidecar_.process.start_time,
                       .end_time = sidecar_.process.end_time};
  std::copy(std::begin(sidecar_magic), std::end(sidecar_magic), header.magic);
  writer_.put_entry(header);
  std::vector<std::byte> file = writer_.take();
  file.insert(file.end(), sections.begin(), sections.end());
  return file;
}

}  // namespace

Expected<std::vector<std::byte>> write_sidecar(const Sidecar& sidecar) {
  return SidecarWriter(sidecar).write();
}

}  // namespace gprof
