// The layout of gmon.live.PID, the mapped file in which counts live while a program runs and after
// it was killed. docs/gmon-format.md, section "Live counters", is the specification; other programs
// read the file by it.
//
// Units: addresses are run-time addresses of the process, times are nanoseconds. All fields are
// little-endian. Fields are written by the process while others may read them: each has one writer
// at a time, and none is ever half-valid but where its comment says so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprof_runtime {

inline constexpr char live_magic[8] = {'g', 'p', 'r', 'o', 'f', 'l', 'i', 'v'};
inline constexpr char chunk_magic[8] = {'g', 'p', 'r', 'o', 'f', 'c', 'h', 'k'};
inline constexpr std::uint32_t live_version = 1;
// Chunks begin at multiples of this, whatever the page size.
inline constexpr std::size_t chunk_alignment = 4096;

enum class LiveState : std::uint32_t {
  running = 1,
  written = 2,  // gmon.out is complete; the file is about to be removed, or an exec is under way
};

// How the program ended, as far as the collector saw it. Also in the sidecar.
enum class Ending : std::uint32_t {
  unknown = 0,   // still running, or killed
  returned = 1,  // exit() or a return from main
  exit_now = 2,  // _exit, _Exit, quick_exit
  aborted = 3,
  executed = 4,  // another image took over the process
  dumped = 5,    // gprof_dump(); the program went on
  // What `gprof-lsp record` and `recover` add:
  killed = 6,  // by the signal that is in exit_status
};

enum class SampleSource : std::uint32_t {
  none = 0,
  thread_timers = 1,
  perf_clock = 2,
  process_timer = 3,  // setitimer
};

enum LiveFlags : std::uint32_t {
  live_with_stacks = 1,
  live_kept_readable = 2,
  // Some tables did not fit into the file (full disk, no file) and are in the process alone.
  live_incomplete = 4,
  live_forked = 8,  // a forked child: the parent's counts before the fork are not in here
};

inline constexpr std::size_t live_name_size = 1024;

// How well samples tell the time, of all threads; docs/gmon-format.md, section "How good samples
// are". Also in the sidecar.
struct SamplingQuality {
  std::uint64_t covered_time;     // CPU time in which the clock ran as it was asked to
  std::uint64_t sampling_time;    // CPU time that it took to take the samples
  std::uint64_t excess_variance;  // sum of w (w - 1) over samples of weight w at a tick
  std::uint64_t tick_samples;     // of CPU time in which the thread may be in step with the tick
  std::uint64_t tick_period;      // of the kernel's tick; 0 where nothing is sampled by it
};
static_assert(sizeof(SamplingQuality) == 40);

// At offset 0. Zero bytes where nothing is said.
struct LiveHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_size;  // offset of the first possible chunk; 4096
  std::uint32_t machine;      // e_machine: 62 x86-64, 183 aarch64
  std::uint32_t flags;        // LiveFlags
  std::uint64_t file_size;    // bytes given out to regions so far
  std::uint32_t process;
  std::uint32_t parent_process;
  std::uint64_t process_start;  // field 22 of /proc/PID/stat, 0 where unknown
  std::uint64_t start_time;     // realtime clock
  std::uint64_t end_time;       // 0 while running
  std::uint32_t state;          // LiveState
  std::uint32_t ending;         // Ending
  std::int32_t exit_status;
  std::uint32_t requested_rate;  // samples a second of CPU time
  std::uint32_t sample_source;   // SampleSource
  std::uint32_t image_number;    // images that exec started in this process before this one
  std::uint64_t lost_calls;
  std::uint64_t lost_samples;
  std::uint64_t lost_stacks;        // samples counted without their stack
  std::uint64_t price_picoseconds;  // measured cost of counting one call; 0 where not measured
  std::uint64_t epoch;              // rises by one whenever a module is unloaded
  std::uint64_t entry_address;      // of the executable
  SamplingQuality sampling;
  std::uint32_t recorded_process;  // GPROF_RECORD; 0 where it is not under `record`
  std::uint8_t reserved[1024 - 180];
  char name[live_name_size];  // the gmon file's, without directory unless GMON_OUT_PREFIX has one
};
static_assert(offsetof(LiveHeader, process) == 32 && offsetof(LiveHeader, state) == 64);
static_assert(offsetof(LiveHeader, lost_calls) == 88 && offsetof(LiveHeader, name) == 1024);

enum class ChunkKind : std::uint32_t {
  threads = 1,                // ThreadRecord
  arcs = 2,                   // CallEntry, a hash table
  through_arcs = 3,           // ThroughEntry, a hash table
  samples = 4,                // SampleEntry, a hash table
  stacks = 5,                 // StackRecord and frames, `used` bytes
  module = 6,                 // one ModuleRecord
  block_counts = 7,           // one BlockPage
  block_places = 8,           // addresses of instrumented blocks
  retired_arcs = 9,           // CallEntry, dense: arcs of modules unloaded at the end of `epoch`
  retired_through_arcs = 10,  // ThroughEntry, dense, likewise
};

// Before every chunk. `kind` is written last: while it is 0 the chunk is to be passed over.
struct ChunkHeader {
  char magic[8];
  std::uint32_t kind;      // ChunkKind
  std::uint32_t slot;      // of the thread that writes it; threads of one slot follow one another
  std::uint64_t size;      // bytes, with this header; a multiple of chunk_alignment
  std::uint64_t capacity;  // entries
  std::uint64_t used;      // entries of dense chunks, bytes of stacks
  std::uint64_t epoch;     // in which addresses are valid; kinds 5, 7 to 10
  std::uint64_t next;      // in memory only: the chunk made before it
  std::uint64_t mask;      // in memory only, of tables of arcs: (capacity - 1) * sizeof(CallEntry)
};
static_assert(sizeof(ChunkHeader) == 64);

struct ThreadRecord {
  std::uint32_t thread;  // as gettid; 0 where the record is free
  std::uint32_t slot;
  std::uint32_t ended;
  std::uint32_t reserved;
  std::uint64_t calls_before;  // calls in the slot's tables when the thread took them over
  std::uint64_t calls;         // of the thread; written when it ends
  std::uint64_t samples;       // of the thread, by weight
  std::uint64_t signals;       // of the thread: samples without weight
  std::uint64_t
      cpu_time;  // nanoseconds from the first call or sample on; written at each sample and the end
  std::uint64_t cpu_time_before;  // of the thread, when counting began
};
static_assert(sizeof(ThreadRecord) == 64);

// Calls that return to `from`, of the function that holds `self`. An entry is free where `from` is
// 0, has no meaning where `from` is retired_address or `self` is 0.
struct CallEntry {
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t count;
  std::uint64_t reserved;
};
static_assert(sizeof(CallEntry) == 32);
inline constexpr std::uint64_t retired_address = 1;

// As CallEntry, for calls out of code that is not profiled: `through` lies in the outermost
// function passed through, `behind` is where that returns to in profiled code (0: none, or
// unknown).
struct ThroughEntry {
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t count;
  std::uint64_t behind;
  std::uint64_t through;
  std::uint64_t reserved[3];
};
static_assert(sizeof(ThroughEntry) == 64);

// Free where count is 0.
struct SampleEntry {
  std::uint64_t address;
  std::uint64_t epoch;
  std::uint64_t count;            // by weight
  std::uint64_t excess_variance;  // of the samples here, as in SamplingQuality
};
static_assert(sizeof(SampleEntry) == 32);

// Followed by `depth` addresses, the sampled one first, return addresses after it, or marks
// (unwind/walked_stack.h); then the next record. Ends at `used` or where depth is 0.
struct StackRecord {
  std::uint64_t count;  // by weight
  std::uint64_t epoch;
  std::uint32_t depth;
  std::uint32_t truncated;  // 1 where more frames lie behind the last
};
static_assert(sizeof(StackRecord) == 24);

enum ModuleFlags : std::uint32_t {
  module_main = 1,      // the executable
  module_profiled = 2,  // it counts its own calls
  module_blocks = 4,    // it counts its own blocks
};

inline constexpr std::size_t module_path_size = 4096 - 64 - 264;
inline constexpr std::uint64_t still_loaded = ~std::uint64_t{0};

struct ModuleRecord {
  std::uint64_t bias;  // run-time less link-time address
  std::uint64_t low;   // all that is mapped
  std::uint64_t high;
  std::uint64_t text_low;  // all that can be executed
  std::uint64_t text_high;
  std::uint64_t init_address;  // of DT_INIT; 0 where there is none
  std::uint64_t load_epoch;    // the module holds its addresses from here on,
  std::uint64_t unload_epoch;  // and to the end of this; still_loaded
  std::uint32_t flags;         // ModuleFlags
  std::uint32_t build_id_size;
  std::uint8_t build_id[64];
  char soname[128];             // DT_SONAME, else the last part of the path; cut
  char path[module_path_size];  // absolute where known
};
static_assert(sizeof(ChunkHeader) + sizeof(ModuleRecord) == 4096);

// Counts of the blocks whose calls of the collector return to [low, low + block_page_span):
// element i to low + 4 i .. low + 4 i + 3. Blocks are further apart than that.
inline constexpr std::size_t block_page_span = 16384;
struct BlockPage {
  std::uint64_t low;
  std::uint64_t reserved;
  std::uint64_t counts[block_page_span / 4];
};

// The chunk `block_places` holds `used` of these, run-time addresses: of the instructions by which
// the blocks of a module call the collector, whether they ran or not, and where the calls return
// to.
struct BlockPlace {
  std::uint64_t call;
  std::uint64_t returns_to;
};

}  // namespace gprof_runtime
