// The layout of NAME.gpx, the sidecar, which holds what gmon.out has no room for.
// docs/gmon-format.md, section "Sidecar", is the specification for other programs.
//
// Units: addresses are link-time addresses in the accompanying module, run-time addresses if that
// is no_module; times are nanoseconds. All fields are little-endian.
#pragma once

#include <cstdint>

#include "formats/collection.h"

namespace gprof_formats {

inline constexpr char sidecar_magic[8] = {'g', 'p', 'r', 'o', 'f', 'g', 'p', 'x'};
// 1 had no parts, timeline and thread names, 2 no waits. A sidecar without waits is of version 2,
// so that older readers take it.
inline constexpr std::uint32_t sidecar_version = 3;
inline constexpr std::uint32_t sidecar_version_without_waits = 2;
constexpr bool is_known_sidecar(std::uint32_t version) {
  return version >= 1 && version <= sidecar_version;
}
inline constexpr std::uint32_t no_module = 0xffffffff;

struct SidecarHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t header_size;  // 64: offset of the first section
  std::uint64_t file_size;
  std::uint32_t checksum;  // CRC-32 (zlib's) of all bytes from header_size on
  std::uint32_t machine;   // e_machine
  // Who wrote it; read by the process's next image and by processes that may want its name. Not
  // covered by the checksum.
  std::uint64_t process_start;  // as in the live file's header
  std::uint32_t process;
  std::uint32_t ending;      // Ending
  std::uint64_t start_time;  // realtime clock
  std::uint64_t end_time;
};
static_assert(sizeof(SidecarHeader) == 64);

// Sections follow one another, each padded with zeros to a multiple of this. Readers must skip
// unknown kinds, and ignore fields beyond the known part of an entry (see entry_size).
inline constexpr std::uint64_t section_alignment = 8;
inline constexpr std::uint32_t stack_unit = 8;
enum class SectionKind : std::uint32_t {
  strings = 1,  // zero-terminated texts; the first is empty. entry_size is 1
  process = 2,  // one ProcessEntry
  modules = 3,  // ModuleEntry
  arcs = 4,     // ArcEntry; ascending by all fields but the count
  threads = 5,  // ThreadEntry, in the order of their start
  samples = 6,  // SamplePlace; ascending
  stacks = 7,   // StackEntry and its frames, the most frequent first. entry_size is stack_unit, and
                // `count` is the section's size in such units
  timeline = 8,       // one TimelineEntry
  arc_parts = 9,      // PartEntry, of the arcs by their place among them, from 0; ascending
  sample_parts = 10,  // the same of the samples
  stack_parts = 11,   // the same of the stacks, by their order
  // Since version 3, if there are waits:
  wait_stacks = 12,  // as `stacks`: the place of the call that blocked, and its callers. `count` is
                     // the time waited, in nanoseconds
  waits = 13,        // WaitEntry; ascending by stack and kind
  wait_parts = 14,   // PartEntry, of the waits by their order; ascending
  wait_holders = 15,  // HolderEntry; ascending by wait and holder
  // If a signal ended the process, and the collector saw where:
  crashes = 16,       // CrashEntry; of one process at most one
  crash_stacks = 17,  // as `stacks`, one for each of them; `count` is 0
};

struct SectionHeader {
  std::uint32_t kind;  // SectionKind
  std::uint32_t entry_size;
  std::uint64_t count;  // of entries
};
static_assert(sizeof(SectionHeader) == 16);

struct ProcessEntry {
  std::uint32_t process;
  std::uint32_t parent_process;
  std::uint64_t start_time;  // realtime clock
  std::uint64_t end_time;
  std::uint32_t ending;          // Ending
  std::int32_t exit_status;      // if the ending has one; the signal if it was killed
  std::uint32_t requested_rate;  // samples per second of CPU time
  std::uint32_t sample_source;   // SampleSource
  std::uint32_t flags;           // process_flags
  std::uint32_t image_number;
  std::uint64_t cpu_time;  // of all threads while they were sampled
  std::uint64_t signals;   // samples taken
  std::uint64_t samples;   // by weight: a signal that represents n timer periods weighs n
  std::uint64_t calls;     // all counted calls
  std::uint64_t lost_calls;
  std::uint64_t lost_samples;
  std::uint64_t lost_stacks;
  std::uint64_t price_picoseconds;  // measured call overhead; 0 if not measured
  SamplingQuality sampling;
  std::uint32_t recorded_process;  // GPROF_RECORD; 0 if it did not run under `record`
  std::uint32_t reserved;
  std::uint64_t unsampled_time;  // CPU time of threads that could not be sampled
  std::uint64_t earlier_time;    // CPU time before counting began; 0 after an exec: not known
};
static_assert(sizeof(ProcessEntry) == 176);

struct ModuleEntry {
  std::uint64_t bias;  // run-time minus link-time address
  std::uint64_t text_low;
  std::uint64_t text_high;
  std::uint32_t flags;  // module_flags
  std::uint32_t path;   // offsets in the strings
  std::uint32_t soname;
  std::uint32_t build_id;  // in hexadecimal digits
  std::uint32_t file;      // name of its gmon file, beside the sidecar; empty if none
  std::uint32_t reserved;
};
static_assert(sizeof(ModuleEntry) == 48);

// Calls of `self` that return to `from`. If `via_name` is not empty, or `flags` says so, `from`
// lies in uninstrumented code: `via_name` is the function entered from the profiled caller, and
// `profiled_caller` the return address in that caller.
struct ArcEntry {
  std::uint32_t from_module;
  std::uint32_t self_module;
  std::uint64_t from;
  std::uint64_t self;
  std::uint32_t profiled_caller_module;  // no_module: no profiled caller, or an unknown one
  std::uint32_t flags;                   // arc_flags
  std::uint64_t profiled_caller;
  std::uint32_t via_module;
  std::uint32_t via_name;  // offset in the strings; empty if no symbol is known
  std::uint64_t via;       // the return address in that function
  std::uint64_t count;
};
static_assert(sizeof(ArcEntry) == 64);
namespace arc_flags {
inline constexpr std::uint32_t via = 1;  // `from` lies in code that is not profiled
}  // namespace arc_flags

struct ThreadEntry {
  std::uint32_t thread;
  std::uint32_t ended;  // 1 if it ended before the profile was written
  std::uint64_t calls;
  std::uint64_t samples;  // by weight
  std::uint64_t signals;
  std::uint64_t cpu_time;  // while it was sampled
  // Since version 2:
  std::uint32_t name;        // offset in the strings; the last one that the thread had
  std::uint32_t process;     // of a sum: the thread's own process; 0: the sidecar's
  std::uint64_t start_time;  // realtime clock; when counting began in it, 0 if unknown
};
static_assert(sizeof(ThreadEntry) == 56);

struct SamplePlace {
  std::uint32_t module;
  std::uint32_t reserved;
  std::uint64_t address;
  std::uint64_t count;            // by weight
  std::uint64_t excess_variance;  // of the samples here, as in SamplingQuality
  std::uint64_t kernel_count;     // the part of `count` spent in the kernel
};
static_assert(sizeof(SamplePlace) == 40);

// Followed by `depth` entries, the sampled place first.
struct StackEntry {
  std::uint64_t count;  // by weight
  std::uint32_t depth;
  std::uint32_t truncated;  // 1 if there are more frames after the last
};
static_assert(sizeof(StackEntry) == 16);

struct StackFrame {
  std::uint32_t module;
  // With no_module: 0, or the number of preceding frames that repeat, or frames_left_out. With a
  // module: 0, or frame_inferred.
  std::uint32_t mark;
  // After the first frame: a return address. For a mark: the number of further repetitions, or of
  // frames left out.
  std::uint64_t address;
};
inline constexpr std::uint32_t frames_left_out = 0xffffffff;
// There was no call frame information that led to this frame: it and all further out are less
// certain. Readers that do not know this mark ignore it.
inline constexpr std::uint32_t frame_inferred = 1;
static_assert(sizeof(StackFrame) == 16);

// How the run is divided into slices of time, of equal width, which begin at the process's
// start_time.
struct TimelineEntry {
  std::uint64_t slice_width;  // nanoseconds
  std::uint32_t slices;       // at most most_slices: each part's slice is below it
  std::uint32_t reserved;
};
static_assert(sizeof(TimelineEntry) == 16);
inline constexpr std::uint32_t most_slices = 4096;

// The part of an arc's calls, a sample place's or a stack's weight that one thread has, in one
// slice. Parts add up to at most the whole; the rest has no known thread and time.
struct PartEntry {
  std::uint32_t whole;   // which arc, sample place or stack
  std::uint32_t thread;  // which of the threads; no_thread where several have it together
  std::uint32_t slice;   // no_slice: not known, as of arcs
  // Samples only: the part of `count` spent in the kernel; saturates at 2^32 - 1.
  std::uint32_t kernel_count;
  std::uint64_t count;            // of calls, or by weight
  std::uint64_t excess_variance;  // of samples only
};
inline constexpr std::uint32_t no_thread = 0xffffffff;
inline constexpr std::uint32_t no_slice = 0xffffffff;
static_assert(sizeof(PartEntry) == 32);

// What a thread waited for. Readers count kinds that they do not know as `other`.
enum class WaitKind : std::uint32_t {
  lock = 1,
  io = 2,
  sleep = 3,
  child = 4,
  other = 5,
  // For a CPU, while others run: the thread was not blocked. Its stack is one frame with no module
  // and the address 0; parts say whose it is and when. `times` and `longest` are 0.
  cpu = 6,
};

// The time that threads were blocked in a call of the C library, by CLOCK_MONOTONIC. Its parts
// (PartEntry) have nanoseconds as `count`, and the number of waits that ended there as
// `excess_variance`.
struct WaitEntry {
  std::uint32_t stack;  // which of the wait stacks
  std::uint32_t kind;   // WaitKind
  std::uint64_t times;
  std::uint64_t total;     // nanoseconds
  std::uint64_t longest;   // nanoseconds
  std::uint32_t function;  // offset in the strings: the function called; empty if unknown
  std::uint32_t reserved;
  std::uint64_t unused;
};
static_assert(sizeof(WaitEntry) == 48);

// The signal that ended a process. Its stack begins with the instruction that caused it.
struct CrashEntry {
  std::int32_t signal;
  std::int32_t code;      // si_code
  std::uint64_t address;  // si_addr, a run-time address; 0 if no access faulted
  std::uint32_t thread;   // which of the threads; no_thread if it is not known
  std::uint32_t reserved;
};
static_assert(sizeof(CrashEntry) == 24);

// Who had a lock while others waited for it.
struct HolderEntry {
  std::uint32_t wait;    // which of the waits
  std::uint32_t holder;  // which of the wait stacks: that of the call that took the lock
  std::uint64_t times;
  std::uint64_t time;  // nanoseconds that others waited
  std::uint64_t unused;
};
static_assert(sizeof(HolderEntry) == 32);

}  // namespace gprof_formats
