#include "runtime/output/gmon_file.h"

#include <cerrno>
#include <cstring>
#include <tuple>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"
#include "runtime/output/gmon_histogram.h"

namespace gprof_runtime {
namespace {

constexpr std::uint8_t arc_tag = 1;
constexpr std::uint8_t blocks_tag = 2;
constexpr std::size_t most_blocks_a_record = std::size_t{1} << 31;

struct FileArc {
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t count;
};

auto key_of(const FileArc& arc) { return std::tie(arc.from, arc.self); }

void write_header(OutputFile& file, const ModuleRecord& record) {
  struct {
    char magic[4] = {'g', 'm', 'o', 'n'};
    std::uint32_t version = 1;
    char tag[4] = {};
    std::uint8_t build_id[8] = {};
  } header;
  if (record.build_id_size != 0) {
    static constexpr char tag[4] = {'g', 'p', 'i', 'd'};
    std::memcpy(header.tag, tag, sizeof tag);
    const std::size_t size = smaller<std::size_t>(record.build_id_size, sizeof header.build_id);
    std::memcpy(header.build_id, record.build_id, size);
  }
  static_assert(sizeof header == 20);
  file.write_value(header);
}

void write_arcs(OutputFile& file, const Gathered& gathered, std::uint32_t module) {
  AnonymousArray<FileArc> arcs;
  const Module& written = gathered.modules[module];
  const std::uint64_t outside =
      (written.flags & module_flags::main) != 0 ? 0 : written.init_address;
  for (const ArcEntry& arc : gathered.arcs) {
    if (arc.self_module != module) continue;
    const CallOrigin origin = {arc.profiled_caller_module, arc.profiled_caller, arc.from_module,
                               arc.from};
    arcs.append({caller_in_file(origin, module, outside), arc.self, arc.count});
  }
  sort(arcs, [](const FileArc& a, const FileArc& b) { return key_of(a) < key_of(b); });
  if (!arcs.complete()) return file.fail(ENOMEM);
  sum_neighbours(arcs, [](const FileArc& a, const FileArc& b) { return key_of(a) == key_of(b); });
  for (const FileArc& arc : arcs) {
    std::uint64_t rest = smaller(arc.count, most_calls_a_record * most_records_a_count);
    while (rest != 0) {
      const std::uint64_t part = smaller(rest, most_calls_a_record);
      file.write_value(arc_tag);
      file.write_value(arc.from);
      file.write_value(arc.self);
      file.write_value(static_cast<std::uint32_t>(part));
      rest -= part;
    }
  }
}

void write_blocks(OutputFile& file, const Gathered& gathered, std::uint32_t module) {
  const auto* begin =
      partition_point(gathered.blocks.begin(), gathered.blocks.end(),
                      [&](const BlockCount& block) { return block.module < module; });
  const auto* end = partition_point(begin, gathered.blocks.end(), [&](const BlockCount& block) {
    return block.module == module;
  });
  while (begin != end) {
    const std::size_t size = smaller(static_cast<std::size_t>(end - begin), most_blocks_a_record);
    file.write_value(blocks_tag);
    file.write_value(static_cast<std::uint32_t>(size));
    for (std::size_t i = 0; i < size; ++i, ++begin) {
      file.write_value(begin->address);
      file.write_value(begin->count);
    }
  }
}

}  // namespace

bool wants_gmon_file(const Gathered& gathered, std::uint32_t module) {
  if ((gathered.modules[module].flags & module_flags::main) != 0) return true;
  if (!is_counting(gathered.modules[module].flags)) return false;
  for (const ArcEntry& arc : gathered.arcs) {
    if (arc.self_module == module) return true;
  }
  for (const BlockCount& block : gathered.blocks) {
    if (block.module == module) return true;
  }
  return false;
}

void write_gmon(OutputFile& file, const Gathered& gathered, std::uint32_t module,
                std::uint32_t rate) {
  write_header(file, *gathered.modules[module].record);
  write_histograms(file, gathered, module, rate);
  write_arcs(file, gathered, module);
  write_blocks(file, gathered, module);
}

}  // namespace gprof_runtime
