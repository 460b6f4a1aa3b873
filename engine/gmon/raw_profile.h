// The contents of gmon files, in any format: no symbols, no lines, link-time addresses.
//
// Thread contract: a value type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/gmon/bin_counts.h"
#include "engine/support/units.h"

namespace gprof {

// Counts samples with a program counter in [low, high), in bins of equal width.
struct Histogram {
  Address low;
  Address high;
  BinCounts bins;
};

// `count` calls from the call that returns to from_pc (or its 16-byte slot) to the function that
// contains self_pc.
struct RawArc {
  Address from_pc;
  Address self_pc;
  std::uint64_t count = 0;

  friend bool operator==(const RawArc&, const RawArc&) = default;
};

struct BlockCount {
  Address address;
  std::uint64_t count = 0;

  friend bool operator==(const BlockCount&, const BlockCount&) = default;
};

enum class GmonFormat : std::uint8_t { gnu, bsd, bsd44 };

struct RawProfile {
  GmonFormat format = GmonFormat::gnu;
  std::uint32_t version = 1;
  std::vector<Histogram> histograms;  // ascending, disjoint, all of one bin width
  // Samples per second (or per unit of the dimension); 0 if no histogram says.
  std::uint32_t rate = 0;
  std::string dimension = "seconds";
  char dimension_abbreviation = 's';
  std::vector<RawArc> arcs;        // in file order, repeated ones kept
  std::vector<BlockCount> blocks;  // in file order, repeated ones kept
  // Records read, as the file information shows them.
  std::uint64_t histogram_records = 0;
  std::uint64_t arc_records = 0;
  std::uint64_t block_records = 0;
  // Whether each from_pc is the exact return address of the call.
  bool exact_call_sites = false;
  // Costs were counted individually, not sampled: they have no error.
  bool exact_costs = false;
  // Costs were taken from a clock, all or a part of them: exact, but another run takes another
  // time.
  bool by_clock = false;
  // Of costs of which a part was sampled, such as times by the clock: how many ticks a sample
  // stands for, and how many were sampled in all. 0: every tick is a sample, or none.
  double ticks_per_sample = 0;
  double sampled_ticks = 0;
  // What was counted in other modules' code, which no histogram holds (imports); 0 if unknown.
  double external_ticks = 0;
  // The first 8 bytes of the executable's build-id, if the header has the "gpid" tag.
  std::optional<std::array<std::byte, 8>> build_id_prefix;
};

}  // namespace gprof
