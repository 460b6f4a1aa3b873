// The layout of gmon.live.PID, the mapped file that holds the counts while a program runs and after
// it was killed. docs/gmon-format.md, section "Live counters", is the specification for other
// programs.
//
// Units: addresses are run-time addresses of the process, times are nanoseconds. All fields are
// little-endian. The process writes fields while others may read them: each has one writer at a
// time, and unless its comment says so, none is ever half-valid.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/collection.h"

namespace gprof_formats {

inline constexpr char live_magic[8] = {'g', 'p', 'r', 'o', 'f', 'l', 'i', 'v'};
inline constexpr char chunk_magic[8] = {'g', 'p', 'r', 'o', 'f', 'c', 'h', 'k'};
// Version 1 had neither threads nor slices, version 2 no kernel_count.
inline constexpr std::uint32_t live_version = 3;
inline constexpr std::size_t live_header_size = 4096;
// Chunks begin at multiples of this, regardless of the page size; in versions 1 and 2, at multiples
// of 4096.
inline constexpr std::size_t chunk_alignment = 1024;

enum class LiveState : std::uint32_t {
  running = 1,
  written = 2,  // gmon.out is complete; the file is about to be removed, or an exec is under way
};

inline constexpr std::size_t live_name_size = 1024;

// Which signal ended the process, and where. Stays empty if the program handles the signal itself.
enum class CrashState : std::uint32_t {
  none = 0,
  in_the_making = 1,
  noted = 2,
};
struct CrashNote {
  std::uint32_t state;  // CrashState; written last
  std::int32_t signal;
  std::int32_t code;      // si_code
  std::uint32_t thread;   // ThreadRecord::number
  std::uint32_t slot;     // that has the stack
  std::uint32_t stack;    // StackRecord::number
  std::uint64_t address;  // si_addr, which faulted; 0 if no access did
};
static_assert(sizeof(CrashNote) == 32);

// At offset 0. Unused bytes are zero.
struct LiveHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_size;  // offset of the first possible chunk; 4096
  std::uint32_t machine;      // e_machine: 62 x86-64, 183 aarch64
  std::uint32_t flags;        // process_flags
  std::uint64_t file_size;    // bytes given out to regions so far
  std::uint32_t process;
  std::uint32_t parent_process;
  std::uint64_t process_start;  // field 22 of /proc/PID/stat, 0 if unknown
  std::uint64_t start_time;     // realtime clock
  std::uint64_t end_time;       // 0 while running
  std::uint32_t state;          // LiveState
  std::uint32_t ending;         // Ending
  std::int32_t exit_status;
  std::uint32_t requested_rate;  // samples per second of CPU time
  std::uint32_t sample_source;   // SampleSource
  std::uint32_t image_number;    // images that exec started in this process before this one
  std::uint64_t lost_calls;
  std::uint64_t lost_samples;
  std::uint64_t lost_stacks;        // samples counted without their stack
  std::uint64_t price_picoseconds;  // measured call overhead; 0 if not measured
  std::uint64_t epoch;              // incremented whenever modules are unloaded
  std::uint64_t entry_address;      // of the executable
  SamplingQuality sampling;
  std::uint32_t recorded_process;  // GPROF_RECORD; 0 if not run under `record`
  std::uint32_t reserved;
  // Since version 2. Of the slices of time that samples are now counted in, nanoseconds: it only
  // doubles. 0: the time of samples is not known.
  std::uint64_t slice_width;
  // Incremented before memory of a table is used for another one, and before a thread takes over a
  // slot: what was read meanwhile may not fit together.
  std::uint64_t replacements;
  // CPU time of threads that could not be sampled; written before a profile is.
  std::uint64_t unsampled_time;
  std::uint64_t earlier_time;  // CPU time of the image before counting began in it
  CrashNote crash;             // all zero in files of collectors that noted none
  std::uint8_t unused[1024 - 248];
  char name[live_name_size];  // of the gmon file; no directory unless GMON_OUT_PREFIX has one
};
static_assert(offsetof(LiveHeader, process) == 32 && offsetof(LiveHeader, state) == 64);
static_assert(offsetof(LiveHeader, lost_calls) == 88 && offsetof(LiveHeader, name) == 1024);
static_assert(offsetof(LiveHeader, slice_width) == 184 && offsetof(LiveHeader, crash) == 216);

enum class ChunkKind : std::uint32_t {
  none = 0,                   // in the making, or no longer in use
  threads = 1,                // ThreadRecord
  arcs = 2,                   // CallEntry, a hash table
  through_arcs = 3,           // ThroughEntry, a hash table
  samples = 4,                // SampleEntry, a hash table
  stacks = 5,                 // StackRecord and frames, `used` bytes
  module = 6,                 // one ModuleRecord
  block_counts = 7,           // one BlockPage
  block_places = 8,           // addresses of instrumented blocks
  retired_arcs = 9,           // CallEntry, dense: arcs of modules unloaded at the end of `epoch`
  retired_through_arcs = 10,  // ThroughEntry, the same
  stack_counts = 11,          // StackCount, a hash table
  waits = 12,                 // WaitCount, a hash table
  wait_holders = 13,          // HolderCount, a hash table
  wait_functions = 14,        // names of functions that wait, zero-terminated; `used` bytes
};

// At the start of every chunk. `kind` is written last: readers skip the chunk while it is 0.
struct ChunkHeader {
  char magic[8];
  std::uint32_t kind;      // ChunkKind
  std::uint32_t slot;      // of the thread that writes it; a slot has one thread after the other
  std::uint64_t size;      // bytes, including this header; a multiple of chunk_alignment
  std::uint64_t capacity;  // entries
  std::uint64_t used;      // entries of dense chunks, bytes of stacks; or the slice width, below
  std::uint64_t epoch;     // in which addresses are valid, kinds 7 to 10; or the edition, below
  std::uint64_t next;      // in memory only: the previously created chunk
  std::uint64_t mask;      // in memory only, arc tables: (capacity - 1) * sizeof(CallEntry)
};
static_assert(sizeof(ChunkHeader) == 64);
constexpr ChunkKind kind_of(const ChunkHeader& chunk) { return static_cast<ChunkKind>(chunk.kind); }

// Tables of kinds 4 and 11 to 13 replace one another: of those of one kind and slot, the one of the
// highest edition has all counts. 0: it is being made. Their slices are `slice_width` nanoseconds
// wide; 0: unknown.
constexpr std::uint64_t& edition_of(ChunkHeader& chunk) { return chunk.epoch; }
constexpr std::uint64_t edition_of(const ChunkHeader& chunk) { return chunk.epoch; }
constexpr std::uint64_t& slice_width_of(ChunkHeader& chunk) { return chunk.used; }
constexpr std::uint64_t slice_width_of(const ChunkHeader& chunk) { return chunk.used; }

inline constexpr std::size_t thread_name_size = 16;

struct ThreadRecord {
  std::uint32_t thread;  // from gettid(); 0 if the record is free
  std::uint32_t slot;
  std::uint32_t ended;
  std::uint32_t number;        // from 0, in the order in which threads started
  std::uint64_t calls_before;  // calls in the slot's tables when the thread took them over
  std::uint64_t calls;         // of the thread; written when it ends
  std::uint64_t samples;       // of the thread, by weight
  std::uint64_t signals;       // of the thread: samples without weight
  std::uint64_t
      cpu_time;  // nanoseconds from the first call or sample on; written at each sample and the end
  std::uint64_t cpu_time_before;  // of the thread, when counting began
  // Since version 2:
  std::uint64_t start_time;  // realtime clock; when counting began in it
  // As the kernel knows it; zero-terminated. Kept up to date every few samples, and at the end.
  char name[thread_name_size];
  std::uint64_t unused;
};
static_assert(sizeof(ThreadRecord) == 96);

// Calls that return to `from`, of the function that contains `self`. An entry is free if `from` is
// 0; ignore it if `from` is retired_address or `self` is 0.
struct CallEntry {
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t count;
  std::uint64_t reserved;
};
static_assert(sizeof(CallEntry) == 32);
inline constexpr std::uint64_t retired_address = 1;
template <typename Entry>  // CallEntry, ThroughEntry, or a copy of what both begin with
constexpr bool is_counted(const Entry& entry) {
  return entry.from > retired_address && entry.self != 0 && entry.count != 0;
}

// Like CallEntry, for calls from uninstrumented code: `via` lies in the outermost function passed
// through, `profiled_caller` is where that returns to in profiled code (0: none, or unknown).
struct ThroughEntry {
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t count;
  std::uint64_t profiled_caller;
  std::uint64_t via;
  std::uint64_t reserved[3];
};
static_assert(sizeof(ThroughEntry) == 64);

// Free if count is 0. The samples at one place that one thread took in one slice of time.
struct SampleEntry {
  std::uint64_t address;
  std::uint64_t epoch;
  std::uint32_t thread;           // ThreadRecord::number
  std::uint32_t slice;            // no_slice: unknown
  std::uint64_t count;            // by weight
  std::uint64_t excess_variance;  // of the samples here, as in SamplingQuality
  std::uint64_t kernel_count;     // the part of `count` spent in the kernel; since version 3
};
static_assert(sizeof(SampleEntry) == 48);

// Followed by `depth` words: addresses, first the sampled one, then return addresses, interspersed
// with marks (stack_mark); then comes the next record. The chunk ends at `used` or if depth is 0.
struct StackRecord {
  std::uint64_t count;  // by weight; of samples that are in no StackCount
  std::uint64_t epoch;
  std::uint32_t depth;
  std::uint32_t truncated;  // 1 if there are more frames after the last
  // Since version 2:
  std::uint32_t number;  // of the stack, among those of the slot
  // Which word is the first whose frame was inferred for lack of call frame information: it and all
  // further out are less certain. 0: none.
  std::uint32_t inferred_from;
};
static_assert(sizeof(StackRecord) == 32);

// Free if count is 0. The samples with one stack that one thread took in one slice of time.
struct StackCount {
  std::uint32_t stack;   // StackRecord::number, in the same slot
  std::uint32_t thread;  // ThreadRecord::number
  std::uint32_t slice;   // no_slice: unknown
  std::uint32_t unused;
  std::uint64_t count;  // by weight
};
static_assert(sizeof(StackCount) == 24);

// Free if count is 0. What one thread waited in one slice of time, in one function called with one
// stack, whose first address is the last byte of the call.
struct WaitCount {
  std::uint32_t stack;     // StackRecord::number, in the same slot
  std::uint32_t thread;    // ThreadRecord::number
  std::uint32_t slice;     // no_slice: unknown
  std::uint16_t function;  // which of the names in the chunk `wait_functions`, from 0
  std::uint16_t kind;      // WaitKind (formats/sidecar.h)
  std::uint64_t count;     // nanoseconds
  std::uint64_t times;     // waits that ended in the slice,
  std::uint64_t longest;   // and the longest of them: nanoseconds in all of its slices
};
static_assert(sizeof(WaitCount) == 40);

// Free if count is 0. Who had the locks that the slot's threads waited for in one function called
// with one stack.
struct HolderCount {
  std::uint32_t stack;  // as in WaitCount
  std::uint16_t function;
  std::uint16_t kind;
  std::uint32_t holder_slot;   // where the stack is with which
  std::uint32_t holder_stack;  // the lock was taken
  std::uint32_t slice;         // no_slice
  std::uint32_t unused;
  std::uint64_t count;  // nanoseconds that were waited
  std::uint64_t times;
};
static_assert(sizeof(HolderCount) == 40);

// In files of version 1, thread records and stack records end where newer fields begin, and samples
// are these.
namespace version_1 {
inline constexpr std::size_t thread_record_size = offsetof(ThreadRecord, start_time);
inline constexpr std::size_t stack_record_size = offsetof(StackRecord, number);
struct SampleEntry {
  std::uint64_t address;
  std::uint64_t epoch;
  std::uint64_t count;
  std::uint64_t excess_variance;
};
static_assert(sizeof(SampleEntry) == 32);
}  // namespace version_1

// Version 2's SampleEntry ends before kernel_count.
namespace version_2 {
inline constexpr std::size_t sample_entry_size = offsetof(SampleEntry, kernel_count);
}  // namespace version_2

// Words of a stack that are not addresses of any code.
namespace stack_mark {
inline constexpr unsigned kind_shift = 56;
inline constexpr unsigned length_shift = 48;
inline constexpr std::uint64_t repeats = 0xfe;  // the `length` frames before it, `count` more times
inline constexpr std::uint64_t left_out = 0xfd;  // `count` frames
inline constexpr std::uint64_t count_mask = (std::uint64_t{1} << length_shift) - 1;

constexpr std::uint64_t make(std::uint64_t kind, std::uint64_t length, std::uint64_t count) {
  return kind << kind_shift | length << length_shift | (count & count_mask);
}
constexpr bool is_mark(std::uint64_t word) { return word >> kind_shift != 0; }
constexpr bool is_repeat(std::uint64_t word) { return word >> kind_shift == repeats; }
constexpr std::uint64_t length_of(std::uint64_t word) { return (word >> length_shift) & 0xffU; }
constexpr std::uint64_t count_of(std::uint64_t word) { return word & count_mask; }
}  // namespace stack_mark

inline constexpr std::size_t module_path_size = 4096 - 64 - 264;
inline constexpr std::uint64_t still_loaded = ~std::uint64_t{0};

struct ModuleRecord {
  std::uint64_t bias;  // run-time minus link-time address
  std::uint64_t low;   // the whole mapping
  std::uint64_t high;
  std::uint64_t text_low;  // its executable part
  std::uint64_t text_high;
  std::uint64_t init_address;  // of DT_INIT; 0 if there is none
  std::uint64_t load_epoch;    // the module holds its addresses from this epoch
  std::uint64_t unload_epoch;  // to the end of this one; or still_loaded
  std::uint32_t flags;         // module_flags
  std::uint32_t build_id_size;
  std::uint8_t build_id[64];
  char soname[128];             // DT_SONAME, or the last component of the path; truncated
  char path[module_path_size];  // absolute if known
};
static_assert(sizeof(ChunkHeader) + sizeof(ModuleRecord) == 4096);

// Counts of the blocks whose calls to the collector return to [low, low + block_page_span): element
// i is for low + 4 i .. low + 4 i + 3 (block_granule). Blocks are further apart than that.
inline constexpr std::size_t block_page_span = 16384;
inline constexpr std::size_t block_granule = 4;
struct BlockPage {
  std::uint64_t low;
  std::uint64_t reserved;
  std::uint64_t counts[block_page_span / block_granule];
};

// The chunk `block_places` holds `used` of these. Run-time addresses of the instructions with which
// the blocks of a module, whether they ran or not, call the collector, and of where they return to.
struct BlockAddress {
  std::uint64_t call;
  std::uint64_t returns_to;
};

}  // namespace gprof_formats
