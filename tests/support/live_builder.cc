#include "tests/support/live_builder.h"

#include <algorithm>
#include <array>
#include <span>

#include "tests/support/gmon_builder.h"

namespace gprof::test {
namespace {

void append(std::vector<std::byte>& bytes, const std::vector<std::byte>& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

GmonBytes call_bytes(const std::vector<LiveDescription::Call>& calls, bool via) {
  GmonBytes bytes({});
  for (const auto& call : calls) {
    bytes.word(call.from).word(call.self).word(call.count);
    if (via) bytes.word(call.profiled_caller).word(call.via).word(0).word(0);
    bytes.word(0);
  }
  return bytes;
}

std::uint64_t number_at(const std::vector<std::byte>& bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i > 0; --i) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes.at(offset + i - 1));
  }
  return value;
}

void put_at(std::vector<std::byte>& bytes, std::size_t offset, std::uint64_t value,
            std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes.at(offset + i) = static_cast<std::byte>(value >> (8 * i) & 0xff);
  }
}

// CRC-32 of ISO 3309, bit by bit.
std::uint32_t cyclic_checksum(std::span<const std::byte> bytes) {
  std::uint32_t checksum = 0xffffffff;
  for (const std::byte byte : bytes) {
    checksum ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      checksum = checksum >> 1 ^ ((checksum & 1) != 0 ? 0xedb88320U : 0U);
    }
  }
  return ~checksum;
}

}  // namespace

LiveDescription& LiveDescription::chunk(const ChunkHeader& described,
                                        const std::vector<std::byte>& payload) {
  GmonBytes bytes({});
  const std::size_t chunk_alignment = header.version < 3 ? 4096 : 1024;
  const std::uint64_t needed = 64 + payload.size();
  const std::uint64_t size = (needed + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
  bytes.text(described.magic, 8).u32(described.kind).u32(described.slot);
  bytes.word(described.announced_size.value_or(size)).word(described.capacity).word(described.used);
  bytes.word(described.epoch).word(0).word(0);
  append(chunks, bytes.bytes());
  append(chunks, payload);
  chunks.resize((chunks.size() + chunk_alignment - 1) / chunk_alignment * chunk_alignment);
  return *this;
}

LiveDescription& LiveDescription::threads(const std::vector<Thread>& threads) {
  GmonBytes bytes({});
  for (const Thread& thread : threads) {
    bytes.u32(thread.thread).u32(thread.slot).u32(thread.ended ? 1 : 0).u32(thread.number);
    bytes.word(thread.calls_before).word(thread.calls).word(thread.samples).word(thread.signals);
    bytes.word(thread.cpu_time).word(0);
    if (header.version == 1) continue;
    bytes.word(thread.start_time).text(thread.name, 16).word(0);
  }
  return chunk({1, 0, threads.size(), 0, 0, {}}, bytes.bytes());
}

LiveDescription& LiveDescription::arcs(std::uint32_t slot, const std::vector<Call>& calls) {
  return chunk({2, slot, calls.size(), 0, 0, {}}, call_bytes(calls, false).bytes());
}

LiveDescription& LiveDescription::through_arcs(std::uint32_t slot, const std::vector<Call>& calls) {
  return chunk({3, slot, calls.size(), 0, 0, {}}, call_bytes(calls, true).bytes());
}

LiveDescription& LiveDescription::retired_arcs(std::uint32_t slot, std::uint64_t epoch,
                                               const std::vector<Call>& calls) {
  return chunk({9, slot, calls.size(), calls.size(), epoch, {}}, call_bytes(calls, false).bytes());
}

LiveDescription& LiveDescription::retired_through_arcs(std::uint32_t slot, std::uint64_t epoch,
                                                       const std::vector<Call>& calls) {
  return chunk({10, slot, calls.size(), calls.size(), epoch, {}}, call_bytes(calls, true).bytes());
}

LiveDescription& LiveDescription::samples(const std::vector<Sample>& samples,
                                          const Edition& edition) {
  GmonBytes bytes({});
  for (const Sample& sample : samples) {
    bytes.word(sample.address).word(sample.epoch);
    if (header.version != 1) bytes.u32(sample.thread).u32(sample.slice);
    bytes.word(sample.count).word(sample.excess_variance);
    if (header.version > 2) bytes.word(sample.kernel_count);
  }
  if (header.version == 1) return chunk({4, 0, samples.size(), 0, 0, {}}, bytes.bytes());
  return chunk({4, edition.slot, samples.size(), edition.slice_width, edition.edition, {}},
               bytes.bytes());
}

LiveDescription& LiveDescription::stack_counts(const std::vector<StackCount>& counts,
                                               const Edition& edition) {
  GmonBytes bytes({});
  for (const StackCount& count : counts) {
    bytes.u32(count.stack).u32(count.thread).u32(count.slice).u32(0).word(count.count);
  }
  return chunk({11, edition.slot, counts.size(), edition.slice_width, edition.edition, {}},
               bytes.bytes());
}

LiveDescription& LiveDescription::waits(const std::vector<Wait>& waits, const Edition& edition) {
  GmonBytes bytes({});
  for (const Wait& wait : waits) {
    bytes.u32(wait.stack).u32(wait.thread).u32(wait.slice).u32(wait.function | wait.kind << 16);
    bytes.word(wait.count).word(wait.times).word(wait.longest);
  }
  return chunk({12, edition.slot, waits.size(), edition.slice_width, edition.edition, {}},
               bytes.bytes());
}

LiveDescription& LiveDescription::wait_holders(const std::vector<Holder>& holders,
                                               const Edition& edition) {
  GmonBytes bytes({});
  for (const Holder& holder : holders) {
    bytes.u32(holder.stack).u32(holder.kind << 16).u32(holder.holder_slot);
    bytes.u32(holder.holder_stack).u32(0xffffffff).u32(0).word(holder.count).word(holder.times);
  }
  return chunk({13, edition.slot, holders.size(), edition.slice_width, edition.edition, {}},
               bytes.bytes());
}

LiveDescription& LiveDescription::wait_functions(const std::vector<std::string>& names) {
  GmonBytes bytes({});
  std::uint64_t used = 0;
  for (const std::string& name : names) {
    bytes.text(name, name.size() + 1);
    used += name.size() + 1;
  }
  return chunk({14, 0, 0, used, 0, {}}, bytes.bytes());
}

LiveDescription& LiveDescription::stacks(const std::vector<Stack>& stacks, std::uint32_t slot) {
  GmonBytes bytes({});
  for (const Stack& stack : stacks) {
    bytes.word(stack.count).word(stack.epoch).u32(stack.frames.size());
    bytes.u32(stack.truncated ? 1 : 0);
    if (header.version != 1) bytes.u32(stack.number).u32(stack.inferred_from);
    for (const std::uint64_t frame : stack.frames) bytes.word(frame);
  }
  const std::uint64_t used = bytes.bytes().size();
  return chunk({5, slot, 0, used, 0, {}}, bytes.bytes());
}

LiveDescription& LiveDescription::module(const Module& module, std::uint64_t used) {
  GmonBytes bytes({});
  bytes.word(module.bias).word(module.low).word(module.high);
  bytes.word(module.text_low).word(module.text_high).word(module.init_address);
  bytes.word(module.load_epoch).word(module.unload_epoch);
  bytes.u32(module.flags).u32(module.build_id.size()).text(module.build_id, 64);
  bytes.text(module.soname, 128).text(module.path, 4096 - 64 - 264);
  return chunk({6, 0, 1, used, 0, {}}, bytes.bytes());
}

LiveDescription& LiveDescription::block_counts(std::uint64_t epoch, std::uint64_t low,
                                               const std::vector<BlockCount>& counts) {
  std::array<std::uint64_t, 4096> page = {};
  for (const BlockCount& count : counts) page.at(count.index) = count.count;
  GmonBytes bytes({});
  bytes.word(low).word(0);
  for (const std::uint64_t count : page) bytes.word(count);
  return chunk({7, 0, 1, 1, epoch, {}}, bytes.bytes());
}

LiveDescription& LiveDescription::block_places(std::uint64_t epoch,
                                               const std::vector<BlockAddress>& places) {
  GmonBytes bytes({});
  for (const BlockAddress& place : places) bytes.word(place.call).word(place.returns_to);
  return chunk({8, 0, places.size(), places.size(), epoch, {}}, bytes.bytes());
}

std::vector<std::byte> build_live(const LiveDescription& description) {
  const LiveDescription::Header& header = description.header;
  GmonBytes bytes({});
  bytes.text(header.magic, 8).u32(header.version).u32(header.header_size);
  bytes.u32(header.machine).u32(header.flags).word(4096 + description.chunks.size());
  bytes.u32(header.process).u32(header.parent_process).word(header.process_start);
  bytes.word(header.start_time).word(header.end_time);
  bytes.u32(header.state).u32(header.ending).u32(header.exit_status).u32(header.requested_rate);
  bytes.u32(header.sample_source).u32(header.image_number);
  bytes.word(header.lost_calls).word(header.lost_samples).word(header.lost_stacks);
  bytes.word(header.price).word(header.epoch).word(0).text("", 48);
  bytes.word(header.slice_width).word(header.replacements).word(0).word(0);
  const LiveDescription::Crash& crash = header.crash;
  bytes.u32(crash.state).u32(crash.signal).u32(crash.code).u32(crash.thread);
  bytes.u32(crash.slot).u32(crash.stack).word(crash.address);
  bytes.text("", 1024 - bytes.bytes().size()).text(header.name, 1024);
  std::vector<std::byte> file = bytes.bytes();
  file.resize(4096);
  append(file, description.chunks);
  return file;
}

std::vector<std::byte> build_sidecar(const std::vector<SidecarSection>& sections,
                                     std::uint32_t header_size, std::uint32_t version) {
  GmonBytes header({});
  header.text("gprofgpx", 8).u32(version).u32(header_size).word(0).u32(0).u32(62);
  header.text("", header_size - header.bytes().size());
  std::vector<std::byte> file = header.bytes();
  for (const SidecarSection& section : sections) {
    GmonBytes bytes({});
    bytes.u32(section.kind).u32(section.entry_size).word(section.count);
    append(file, bytes.bytes());
    append(file, section.payload);
    file.resize((file.size() + 7) / 8 * 8);
  }
  repair_sidecar(file);
  return file;
}

std::vector<SidecarSection> sidecar_sections(const std::vector<std::byte>& file) {
  std::vector<SidecarSection> sections;
  for (std::size_t offset = number_at(file, 12, 4); offset < file.size();) {
    SidecarSection& section = sections.emplace_back();
    section.kind = static_cast<std::uint32_t>(number_at(file, offset, 4));
    section.entry_size = static_cast<std::uint32_t>(number_at(file, offset + 4, 4));
    section.count = number_at(file, offset + 8, 8);
    const std::size_t size = section.entry_size * section.count;
    const auto payload = std::span(file).subspan(offset + 16, size);
    section.payload.assign(payload.begin(), payload.end());
    offset += 16 + (size + 7) / 8 * 8;
  }
  return sections;
}

void repair_sidecar(std::vector<std::byte>& file) {
  if (file.size() < 64) return;
  const std::size_t header_size = std::min<std::size_t>(number_at(file, 12, 4), file.size());
  put_at(file, 16, file.size(), 8);
  put_at(file, 24, cyclic_checksum(std::span(file).subspan(header_size)), 4);
}

}  // namespace gprof::test
