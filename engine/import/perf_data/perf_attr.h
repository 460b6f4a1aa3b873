// The events of a recording, as perf_event_attr describes them, and their names.
//
// Thread contract: pure functions and values. Errors: none; bytes that are missing are zeros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/support/units.h"

namespace gprof::perf_data {

struct PerfAttr {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t period = 0;  // between samples; 0 if the kernel chooses it
  std::uint64_t sample_type = 0;
  std::uint64_t read_format = 0;
  std::uint64_t branch_type = 0;
  std::uint64_t user_registers = 0;  // which are stored
  bool sample_id_all = false;        // records that are no samples say when and whose they are
  bool inherit = false;              // new threads have counters of their own
  bool context_switch = false;       // there is a record when a thread is switched in or out
  std::vector<std::uint64_t> ids;
  std::string name;
};

[[nodiscard]] PerfAttr parse_attr(std::span<const std::byte> bytes, ByteOrder order);

// As perf would call it, by type and configuration: "cycles", "cpu-clock", "raw 0x1c2".
[[nodiscard]] std::string usual_name(const PerfAttr& attr);

}  // namespace gprof::perf_data
