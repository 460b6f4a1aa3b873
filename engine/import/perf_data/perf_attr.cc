#include "engine/import/perf_data/perf_attr.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "engine/dwarf/byte_cursor.h"
#include "engine/import/perf_data/perf_format.h"

namespace gprof::perf_data {
namespace {

constexpr std::array<std::string_view, 10> hardware_names = {"cycles",
                                                             "instructions",
                                                             "cache-references",
                                                             "cache-misses",
                                                             "branches",
                                                             "branch-misses",
                                                             "bus-cycles",
                                                             "stalled-cycles-frontend",
                                                             "stalled-cycles-backend",
                                                             "ref-cycles"};
constexpr std::array<std::string_view, 12> software_names = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"};
constexpr std::array<std::string_view, 7> caches = {"L1-dcache", "L1-icache", "LLC", "dTLB",
                                                    "iTLB",      "branch",    "node"};
constexpr std::array<std::string_view, 6> accesses = {
    "loads", "load-misses", "stores", "store-misses", "prefetches", "prefetch-misses"};

// Bit fields begin at the other end on machines of the other byte order.
bool flag(std::uint64_t flags, unsigned place, ByteOrder order) {
  const unsigned shift = order == ByteOrder::little ? place : 63 - place;
  return (flags >> shift & 1) != 0;
}

}  // namespace

PerfAttr parse_attr(std::span<const std::byte> bytes, ByteOrder order) {
  dwarf::ByteCursor cursor(bytes, order);
  PerfAttr attr;
  attr.type = static_cast<std::uint32_t>(cursor.fixed(4));
  cursor.skip(4);  // its size
  attr.config = cursor.fixed(8);
  attr.period = cursor.fixed(8);
  attr.sample_type = cursor.fixed(8);
  attr.read_format = cursor.fixed(8);
  const std::uint64_t flags = cursor.fixed(8);
  cursor.skip(24);  // when it wakes perf, breakpoints and further configuration
  attr.branch_type = cursor.fixed(8);
  attr.user_registers = cursor.fixed(8);
  if (flag(flags, attr_flag::frequency, order)) attr.period = 0;
  attr.inherit = flag(flags, attr_flag::inherit, order);
  attr.context_switch = flag(flags, attr_flag::context_switch, order);
  attr.sample_id_all = flag(flags, attr_flag::sample_id_all, order);
  return attr;
}

std::string usual_name(const PerfAttr& attr) {
  const std::uint64_t config = attr.config;
  switch (attr.type) {
    case event_type::hardware: {
      const std::uint64_t number = config & 0xffffffff;  // above it: which kind of core
      if (number < hardware_names.size()) return std::string(hardware_names[number]);
      break;
    }
    case event_type::software:
      if (config < software_names.size()) return std::string(software_names[config]);
      break;
    case event_type::hardware_cache: {
      const std::uint64_t cache = config & 0xff;
      const std::uint64_t access = 2 * (config >> 8 & 0xff) + (config >> 16 & 0xff);
      if (cache < caches.size() && access < accesses.size()) {
        return fmt::format("{}-{}", caches[cache], accesses[access]);
      }
      break;
    }
    case event_type::raw:
      return fmt::format("raw 0x{:x}", config);
    default:
      break;
  }
  return fmt::format("event {}:0x{:x}", attr.type, config);
}

}  // namespace gprof::perf_data
