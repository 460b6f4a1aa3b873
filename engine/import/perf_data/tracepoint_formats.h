// The layouts of the kernel's tracepoints, which a recording of them has: the text of
// /sys/kernel/tracing/events/SYSTEM/NAME/format for each.
//
// Source: the manual page trace-cmd.dat(5), whose beginning perf writes as well. Ownership: owns
// its data. Thread contract: pure functions. Errors: none; what is damaged ends the list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/units.h"

namespace gprof::perf_data {

struct TracepointField {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct TracepointFormat {
  std::string name;
  std::uint64_t id = 0;  // of events, as their configuration
  std::map<std::string, TracepointField, std::less<>> fields;
};

// Those of one system, as "sched"; the others are not kept.
[[nodiscard]] std::vector<TracepointFormat> formats_in_tracing_data(
    std::span<const std::byte> bytes, std::string_view system);

// None if it has no name and number.
[[nodiscard]] std::optional<TracepointFormat> parse_tracepoint_format(std::string_view text);

}  // namespace gprof::perf_data
