#include "runtime/output/sidecar_file.h"

#include <cstring>

#include "formats/gmon_rules.h"

namespace gprof_runtime {
namespace {

void write_section_header(OutputFile& file, SectionKind kind, std::size_t entry_size,
                          std::uint64_t count) {
  file.write_value(SectionHeader{.kind = static_cast<std::uint32_t>(kind),
                                 .entry_size = static_cast<std::uint32_t>(entry_size),
                                 .count = count});
}

void write_padding(OutputFile& file) {
  const std::uint64_t over = file.size() % section_alignment;
  if (over != 0) file.write_zeros(section_alignment - over);
}

template <typename Entry>
void write_array(OutputFile& file, SectionKind kind, const AnonymousArray<Entry>& entries) {
  write_section_header(file, kind, sizeof(Entry), entries.size());
  file.write(entries.data(), entries.size() * sizeof(Entry));
  write_padding(file);
}

void write_process(OutputFile& file, const Gathered& gathered, const ProcessFacts& facts) {
  const LiveHeader& header = *facts.header;
  const ProcessEntry process = {
      .process = header.process,
      .parent_process = header.parent_process,
      .start_time = header.start_time,
      .end_time = facts.end_time,
      .ending = static_cast<std::uint32_t>(facts.ending),
      .exit_status = facts.exit_status,
      .requested_rate = header.requested_rate,
      .sample_source = header.sample_source,
      .flags = header.flags,
      .image_number = header.image_number,
      .cpu_time = gathered.totals.cpu_time,
      .signals = gathered.totals.signals,
      .samples = gathered.totals.samples,
      .calls = gathered.totals.calls,
      .lost_calls = header.lost_calls,
      .lost_samples = header.lost_samples,
      .lost_stacks = header.lost_stacks,
      .price_picoseconds = header.price_picoseconds,
      .sampling = header.sampling,
      .recorded_process = header.recorded_process,
      .reserved = 0,
      .unsampled_time = header.unsampled_time,
      .earlier_time = header.earlier_time,
  };
  write_section_header(file, SectionKind::process, sizeof process, 1);
  file.write_value(process);
}

void write_modules(OutputFile& file, const ModuleTable& modules, const SidecarStrings& strings) {
  write_section_header(file, SectionKind::modules, sizeof(ModuleEntry), modules.size());
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    const Module& module = modules[i];
    const SidecarStrings::ModuleTexts& texts = strings.of_module(i);
    file.write_value(
        ModuleEntry{.bias = module.record->bias,
                    .text_low = module.text_low,
                    .text_high = module.text_high,
                    .flags = module.flags | (module.loaded != 0 ? 0 : module_flags::unloaded),
                    .path = texts.path,
                    .soname = texts.soname,
                    .build_id = texts.build_id,
                    .file = texts.file,
                    .reserved = 0});
  }
}

void write_arcs(OutputFile& file, const Gathered& gathered, const SidecarStrings& strings) {
  write_section_header(file, SectionKind::arcs, sizeof(ArcEntry), gathered.arcs.size());
  for (ArcEntry arc : gathered.arcs) {
    arc.via_name = strings.via_name(arc);
    file.write_value(arc);
  }
}

std::uint64_t bytes_of(const GatheredStack& stack) {
  return sizeof(StackEntry) + std::uint64_t{stack.depth} * sizeof(StackFrame);
}

void write_stack(OutputFile& file, const Gathered& gathered, const GatheredStack& stack) {
  file.write_value(
      StackEntry{.count = stack.count, .depth = stack.depth, .truncated = stack.truncated});
  file.write(gathered.frames.data() + stack.first, stack.depth * sizeof(StackFrame));
}

void write_stacks(OutputFile& file, SectionKind kind, const Gathered& gathered,
                  const AnonymousArray<GatheredStack>& stacks) {
  if (stacks.empty()) return;
  std::uint64_t bytes = 0;
  for (const GatheredStack& stack : stacks) bytes += bytes_of(stack);
  write_section_header(file, kind, stack_unit, bytes / stack_unit);
  for (const GatheredStack& stack : stacks) write_stack(file, gathered, stack);
}

void write_threads(OutputFile& file, const Gathered& gathered, const SidecarStrings& strings) {
  write_section_header(file, SectionKind::threads, sizeof(ThreadEntry), gathered.threads.size());
  for (std::uint32_t i = 0; i < gathered.threads.size(); ++i) {
    ThreadEntry thread = gathered.threads[i].entry;
    thread.name = strings.of_thread(i);
    file.write_value(thread);
  }
}

// Only where samples have times.
void write_timeline(OutputFile& file, const Gathered& gathered, const ProcessFacts& facts) {
  if (gathered.slices_used == 0) return;
  const std::uint32_t slices = slices_of_run(gathered.slices_used, gathered.slice_width,
                                             facts.header->start_time, facts.end_time);
  write_section_header(file, SectionKind::timeline, sizeof(TimelineEntry), 1);
  file.write_value(
      TimelineEntry{.slice_width = gathered.slice_width, .slices = slices, .reserved = 0});
}

void write_parts(OutputFile& file, SectionKind kind, const AnonymousArray<PartEntry>& parts) {
  if (!parts.empty()) write_array(file, kind, parts);
}

void write_waits(OutputFile& file, const Gathered& gathered, const SidecarStrings& strings) {
  write_stacks(file, SectionKind::wait_stacks, gathered, gathered.wait_stacks);
  write_section_header(file, SectionKind::waits, sizeof(WaitEntry), gathered.waits.size());
  for (WaitEntry wait : gathered.waits) {
    wait.function = strings.of_wait_function(wait.function);
    file.write_value(wait);
  }
  write_parts(file, SectionKind::wait_parts, gathered.wait_parts);
  if (!gathered.holders.empty()) write_array(file, SectionKind::wait_holders, gathered.holders);
}

void write_crash(OutputFile& file, const Gathered& gathered, const ProcessFacts& facts) {
  if (gathered.crash_stack.depth == 0) return;
  const CrashNote& crash = facts.header->crash;
  write_section_header(file, SectionKind::crashes, sizeof(CrashEntry), 1);
  file.write_value(CrashEntry{.signal = crash.signal,
                              .code = crash.code,
                              .address = crash.address,
                              .thread = place_of_thread(gathered, crash.thread),
                              .reserved = 0});
  write_section_header(file, SectionKind::crash_stacks, stack_unit,
                       bytes_of(gathered.crash_stack) / stack_unit);
  write_stack(file, gathered, gathered.crash_stack);
}

SidecarHeader make_header(const OutputFile& file, std::uint32_t version,
                          const ProcessFacts& facts) {
  SidecarHeader header = {};
  std::memcpy(header.magic, sidecar_magic, sizeof header.magic);
  header.version = version;
  header.header_size = sizeof header;
  header.file_size = file.size();
  header.checksum = file.checksum();
  header.machine = facts.header->machine;
  header.process_start = facts.header->process_start;
  header.process = facts.header->process;
  header.ending = static_cast<std::uint32_t>(facts.ending);
  header.start_time = facts.header->start_time;
  header.end_time = facts.end_time;
  return header;
}

}  // namespace

void write_sidecar(OutputFile& file, const Gathered& gathered, const SidecarStrings& strings,
                   const ProcessFacts& facts) {
  // Size and checksum are known only at the end.
  file.write_zeros(sizeof(SidecarHeader));
  file.start_checksum();
  write_array(file, SectionKind::strings, strings.bytes());
  write_process(file, gathered, facts);
  write_modules(file, gathered.modules, strings);
  write_arcs(file, gathered, strings);
  write_threads(file, gathered, strings);
  write_array(file, SectionKind::samples, gathered.samples);
  write_stacks(file, SectionKind::stacks, gathered, gathered.stacks);
  write_timeline(file, gathered, facts);
  write_parts(file, SectionKind::arc_parts, gathered.arc_parts);
  write_parts(file, SectionKind::sample_parts, gathered.sample_parts);
  write_parts(file, SectionKind::stack_parts, gathered.stack_parts);
  const bool has_waits = !gathered.waits.empty();
  if (has_waits) write_waits(file, gathered, strings);
  write_crash(file, gathered, facts);
  const SidecarHeader header =
      make_header(file, has_waits ? sidecar_version : sidecar_version_without_waits, facts);
  file.write_again(0, &header, sizeof header);
}

}  // namespace gprof_runtime
