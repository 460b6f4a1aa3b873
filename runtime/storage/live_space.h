// The memory that live counters are in: regions of the live file, mapped shared, and, where that
// cannot grow, anonymous memory. It is given out in pieces, which are never freed.
//
// Regions are made by one thread at a time, in proportion to what was given out, and never larger
// than what the limits allow: what is reserved can be used. In the file, the next region is made
// while half of the current one is still free, so that threads rarely wait for it. Disk space is
// reserved before it is written to, because a full disk would otherwise end the program with
// SIGBUS.
//
// Units: bytes. Thread contract: begin(), note_limits() and abandon() with one thread; everything
// else any thread and any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/storage/live_limit.h"

namespace gprof_runtime::live {

// A multiple of every page size of Linux, and what regions are multiples of.
inline constexpr std::size_t page_multiple = 65536;
inline constexpr std::size_t first_region_size = 4 * page_multiple;

struct FirstRegion {
  std::uint8_t* base;  // null if out of memory
  bool in_file;
};

// Maps the beginning of the file (-1: there is none), or memory. `used`: bytes of it that the
// caller keeps for itself.
FirstRegion begin_space(int descriptor, std::size_t used);

// `wanted`: the setting, 0 for the default. `file_size`: where the size of the file is noted, which
// regions are given from; in the region that begin_space() returned.
void set_limit(std::uint64_t wanted, int descriptor, std::uint64_t* file_size);

// Zero-filled; null if there is no memory, or none for this need.
std::uint8_t* take_space(std::size_t size, Need need);

// Makes room for that many bytes, as far as the limits allow, which then need no system call.
void reserve_space(std::size_t size);

// Whether counters are in memory alone: they are lost if the process is killed.
bool is_partly_in_memory();
// Whether something was refused because of the limits.
bool has_reached_limit();
// The current limit for all counters: lower than at first once the file cannot grow.
std::uint64_t current_limit();
// Bytes in regions: of the file, and in all.
std::uint64_t reserved_in_file();
std::uint64_t reserved_space();
// How many regions there are: a program with any number of threads has few.
std::uint32_t region_count();

// In a forked child: unmaps everything.
void abandon_space();

}  // namespace gprof_runtime::live
