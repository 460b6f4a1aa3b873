// How much the live counters may take, in the file and in memory, and what is given up when that is
// reached.
//
// Units: bytes. Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::live {

// The purpose of an allocation. The more expendable it is, the earlier it is refused, so that there
// is always room for counts that exist already.
enum class Need : std::uint8_t {
  stack,    // call stacks
  larger,   // a larger table, for arcs and places that are not known yet
  first,    // the first table of a thread, or its record
  counted,  // for what was counted: it would be lost
};

struct Limits {
  std::uint64_t in_file;
  std::uint64_t in_memory;  // where the file cannot grow: low, because the program needs it
  std::uint64_t total;
};

// Smaller limits are raised to this: a header, the modules, and tables of a few threads.
inline constexpr std::uint64_t lowest_limit = std::uint64_t{256} << 10U;
inline constexpr std::uint64_t highest_default_limit = std::uint64_t{1} << 30U;

// `wanted`: the setting, 0 for the default, which is a hundredth of the file system's free space
// and of what the file takes already. `descriptor`: of the file, -1 for none.
Limits choose_limits(std::uint64_t wanted, int descriptor, std::uint64_t taken_in_file);

// Up to how many bytes such a piece may be given out.
std::uint64_t ceiling_of(Need need, std::uint64_t total);

}  // namespace gprof_runtime::live
