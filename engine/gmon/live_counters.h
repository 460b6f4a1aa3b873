// The counters in `gmon.live.PID`, the mapped file that a program under the collector counts in, in
// their current state: while it runs, or after it was killed. Format: docs/gmon-format.md, section
// "Live counters". collected_profile.h makes a profile from them.
//
// The process may have been stopped in the middle of any write, so nothing is taken for granted:
// invalid chunks are skipped (and named in `warnings`), incomplete entries are left out. A file in
// which tables are replaced while it is read is read again.
//
// Units: addresses are run-time addresses of the process, as plain numbers, since an Address is
// always a link-time one; times are nanoseconds. Thread contract: value types and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/support/expected.h"
#include "engine/support/input_file.h"
#include "formats/live_file.h"

namespace gprof {

// Numbers as in the file; a newer file may hold others.
using gprof_formats::LiveState;

struct LiveModule {
  std::uint64_t bias = 0;  // run-time minus link-time address
  std::uint64_t low = 0;   // everything mapped: [low, high)
  std::uint64_t high = 0;
  std::uint64_t text_low = 0;  // everything executable
  std::uint64_t text_high = 0;
  std::uint64_t init_address = 0;  // of DT_INIT; 0 where there is none
  std::uint64_t load_epoch = 0;    // it holds its addresses from here on, to the end of
  std::uint64_t unload_epoch = 0;  // this, or still_loaded
  std::uint32_t flags = 0;         // module_flags
  std::vector<std::byte> build_id;
  std::string soname;  // or the last part of the path
  std::string path;
};

// Calls of one pair of addresses, by one thread: by its index in LiveCounters::threads; no_thread
// for those that several threads counted in one table. For calls from uninstrumented code
// (`is_via`), `via` lies in the outermost function passed through, and `profiled_caller` is where
// that returns to in profiled code, or 0.
struct LiveCall {
  std::uint64_t epoch = 0;
  std::uint64_t from = 0;
  std::uint64_t self = 0;
  bool is_via = false;
  std::uint64_t profiled_caller = 0;
  std::uint64_t via = 0;
  std::uint32_t thread = no_thread;
  std::uint64_t count = 0;
};

// The samples at an address that one thread took in one slice of time.
struct LiveSample {
  std::uint64_t epoch = 0;
  std::uint64_t address = 0;
  std::uint32_t thread = no_thread;   // its index; no_thread: unknown
  std::uint32_t slice = no_slice;     // no_slice: unknown
  std::uint64_t count = 0;            // by weight
  std::uint64_t excess_variance = 0;  // as in SamplingQuality
  std::uint64_t kernel_count = 0;     // the part of `count` spent in the kernel
};

// What one thread has of a stack in one slice of time.
struct LivePart {
  std::uint32_t thread = no_thread;
  std::uint32_t slice = no_slice;
  std::uint64_t count = 0;  // by weight
};

struct LiveStack {
  std::uint64_t count = 0;  // by weight; what is in no part has no known thread and time
  std::uint64_t epoch = 0;
  bool truncated = false;
  std::vector<std::uint64_t> frames;  // the sampled address, then return addresses
  std::vector<LivePart> parts;        // in any order
  std::uint32_t inferred_from = 0;    // as in SidecarStack
};

// How long one thread waited in one slice of time, in calls of one function with one stack.
struct LiveWait {
  std::uint32_t stack = 0;  // index into LiveCounters::wait_stacks
  std::uint32_t function =
      0;  // number of its name in LiveCounters::wait_functions, if that is there
  WaitKind kind = WaitKind::other;
  std::uint32_t thread = no_thread;
  std::uint32_t slice = no_slice;
  std::uint64_t count = 0;  // nanoseconds
  std::uint64_t times = 0;  // that ended in the slice
  std::uint64_t longest = 0;
};

// Who had a lock while others waited for it. Stacks as LiveWait has them.
struct LiveHolder {
  std::uint32_t stack = 0;  // of those that waited
  WaitKind kind = WaitKind::other;
  std::uint32_t holder = 0;  // the stack with which it was locked
  std::uint64_t count = 0;   // nanoseconds that others waited
  std::uint64_t times = 0;
};

// The signal that ended the process; as SidecarCrash.
struct LiveCrash {
  std::int32_t signal = 0;
  std::int32_t code = 0;
  std::uint64_t address = 0;
  std::uint32_t thread = no_thread;
  LiveStack stack;
};

struct LiveThread {
  std::uint32_t thread = 0;  // as gettid()
  std::uint32_t slot = 0;    // the set of tables it counts in; reused by later threads
  bool ended = false;
  std::uint64_t calls_before = 0;  // in the slot's tables when it took them over
  std::uint64_t calls = 0;         // known once it has ended
  std::uint64_t samples = 0;       // by weight
  std::uint64_t signals = 0;
  std::uint64_t cpu_time = 0;
  std::uint32_t number = 0;      // in the order in which they started
  std::uint64_t start_time = 0;  // realtime clock; 0 if unknown
  std::string name;              // empty if unknown
};

// Executions of the block whose call of the collector returns to [address, address +
// block_granule).
struct LiveBlockCount {
  std::uint64_t epoch = 0;
  std::uint64_t address = 0;  // a multiple of block_granule
  std::uint64_t count = 0;
};

// An instrumented block, whether or not it ran.
struct LiveBlockAddress {
  std::uint64_t epoch = 0;
  std::uint64_t call = 0;  // the instruction that calls the collector
  std::uint64_t returns_to = 0;
};

struct LiveCounters {
  std::uint32_t machine = 0;  // e_machine
  std::uint32_t process = 0;
  std::uint32_t parent_process = 0;
  std::uint64_t process_start = 0;  // field 22 of /proc/PID/stat, 0 if unknown
  std::uint64_t start_time = 0;     // realtime clock
  std::uint64_t end_time = 0;       // 0 while running
  LiveState state = LiveState::running;
  Ending ending = Ending::unknown;
  std::int32_t exit_status = 0;
  std::uint32_t flags = 0;           // process_flags
  std::uint32_t requested_rate = 0;  // samples per second of CPU time
  SampleSource sample_source = SampleSource::none;
  std::uint32_t image_number = 0;
  std::uint64_t lost_calls = 0;
  std::uint64_t lost_samples = 0;
  std::uint64_t lost_stacks = 0;
  std::uint64_t price_picoseconds = 0;
  SamplingQuality sampling;
  std::uint32_t recorded_process = 0;  // as in SidecarProcess
  std::uint64_t unsampled_time = 0;
  std::uint64_t earlier_time = 0;
  std::uint64_t epoch = 0;        // the current one
  std::uint64_t slice_width = 0;  // nanoseconds; 0: no sample has a slice
  // Of the gmon file, as the process chose it: no directory, except that of GMON_OUT_PREFIX.
  std::string name;

  std::vector<LiveModule> modules;  // in the order they were recorded
  std::vector<LiveThread> threads;  // in the order they started
  std::vector<LiveCall> calls;      // ascending; each pair (or way through) of a thread once
  std::vector<LiveSample> samples;  // ascending; each address, thread and slice once
  std::vector<LiveStack> stacks;
  // Of waits and holders of locks; the counts are nanoseconds, and 0 of those of holders alone.
  // They have no parts.
  std::vector<LiveStack> wait_stacks;
  std::vector<LiveWait> waits;
  std::vector<LiveHolder> wait_holders;
  std::vector<std::string> wait_functions;
  std::optional<LiveCrash> crash;
  std::vector<LiveBlockCount> block_counts;    // ascending; each address once; none is 0
  std::vector<LiveBlockAddress> block_places;  // ascending
  std::map<std::uint32_t, std::uint64_t> calls_of_slot;

  Warnings warnings;  // chunks that were skipped
};

// `path` is for messages. Errors: wrong_format, truncated (no whole header), unsupported (a newer
// version), corrupt.
Expected<LiveCounters> read_live_counters(std::span<const std::byte> bytes,
                                          const std::string& path);
// Reads chunk by chunk: the file may be larger than the available memory. What was never written
// (the holes of a sparse file) is skipped, however large.
Expected<LiveCounters> read_live_counters_file(const InputFile& file);
Expected<LiveCounters> read_live_counters_file(const std::filesystem::path& path);

}  // namespace gprof
