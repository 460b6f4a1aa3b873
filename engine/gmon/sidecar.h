// The sidecar NAME.gpx: what the collector knows of a run that gmon.out has no room for. Format:
// docs/gmon-format.md, section "Sidecar".
//
// Units: times are nanoseconds; an address is a link-time address in the module given with it, or a
// run-time address if that is no_module (the only place in the engine with those).
// Thread contract: value types and pure functions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/units.h"
#include "formats/sidecar.h"

namespace gprof {

// Numbers as in the file; a newer file may hold others.
using gprof_formats::Ending;
using gprof_formats::no_module;
using gprof_formats::no_slice;
using gprof_formats::no_thread;
using gprof_formats::SampleSource;
using gprof_formats::SamplingQuality;
using gprof_formats::WaitKind;
namespace process_flags = gprof_formats::process_flags;
namespace module_flags = gprof_formats::module_flags;
namespace arc_flags = gprof_formats::arc_flags;

// Marks among the frames of a stack, in place of a module: in the file, a mark with no module.
// `address` is then a number.
namespace stack_marks {
// That many frames are missing.
inline constexpr std::uint32_t left_out = 0xfffffffe;
// + k: the preceding k frames repeat that many more times. Marks are not among them.
inline constexpr std::uint32_t repeat = 0xffffff00;
inline constexpr std::uint32_t longest_group = 255 - 2;
}  // namespace stack_marks

struct ModuleAddress {
  std::uint32_t module = no_module;  // index into Sidecar::modules
  Address address;

  // Only on stacks.
  [[nodiscard]] bool is_mark() const {
    return module >= stack_marks::repeat && module != no_module;
  }
  // Length of a repeated group; 0 if this is not one.
  [[nodiscard]] std::uint32_t group_length() const {
    return is_mark() && module != stack_marks::left_out ? module - stack_marks::repeat : 0;
  }
  friend auto operator<=>(const ModuleAddress&, const ModuleAddress&) = default;
};

struct SidecarProcess {
  std::uint32_t process = 0;
  std::uint32_t parent_process = 0;
  std::uint64_t start_time = 0;  // realtime clock
  std::uint64_t end_time = 0;
  Ending ending = Ending::unknown;
  std::int32_t exit_status = 0;      // the signal if killed
  std::uint32_t requested_rate = 0;  // samples per second of CPU time
  SampleSource sample_source = SampleSource::none;
  std::uint32_t flags = 0;         // process_flags
  std::uint32_t image_number = 0;  // images that exec started in the process before this one
  std::uint64_t cpu_time = 0;      // of all threads while sampled
  std::uint64_t signals = 0;       // samples taken
  std::uint64_t samples = 0;       // by weight: one that stands for n timer periods weighs n
  std::uint64_t calls = 0;
  std::uint64_t lost_calls = 0;
  std::uint64_t lost_samples = 0;
  std::uint64_t lost_stacks = 0;        // samples counted without their stack
  std::uint64_t price_picoseconds = 0;  // of counting one call; 0 if not measured
  SamplingQuality sampling;
  // The process that `gprof-lsp record` started: this one or an ancestor; 0: none or unknown.
  std::uint32_t recorded_process = 0;
  std::uint64_t process_start = 0;   // field 22 of /proc/PID/stat, 0 if unknown
  std::uint64_t unsampled_time = 0;  // CPU time of threads that could not be sampled
  std::uint64_t earlier_time = 0;    // CPU time before counting began; 0 after an exec

  friend bool operator==(const SidecarProcess&, const SidecarProcess&) = default;
};

// A process's quality, with CPU time that the tick missed or counted twice added to the tick
// samples: if only the tick set the sampling times, that time may belong to any code.
[[nodiscard]] SamplingQuality sampling_quality(const SidecarProcess& process);

struct SidecarModule {
  std::uint64_t bias = 0;   // run-time minus link-time address
  AddressRange text;        // everything executable
  std::uint32_t flags = 0;  // module_flags
  std::string path;
  std::string soname;
  std::string build_id;  // hexadecimal digits; empty if there is none
  std::string file;      // its gmon file, next to the sidecar; empty if it has none

  friend bool operator==(const SidecarModule&, const SidecarModule&) = default;
};

// Whether a module with that name, of a file or a library, is the collector.
[[nodiscard]] bool is_collector(std::string_view module_name);

// `count` calls, returning to `from`, of the function that contains `self`. With
// arc_flags::via, the call came from uninstrumented code, which the profiled caller had entered
// through the function that contains `through` and has the given name; `behind` is where this
// returns to in that caller (no_module and 0: there is none, or it is unknown).
struct SidecarArc {
  ModuleAddress from;
  ModuleAddress self;
  ModuleAddress profiled_caller;
  std::uint32_t flags = 0;     // arc_flags
  ModuleAddress via;           // also a return address
  std::uint32_t via_name = 0;  // index into Sidecar::names
  std::uint64_t count = 0;

  friend bool operator==(const SidecarArc&, const SidecarArc&) = default;
};
// The order of arcs in a file: by all fields except the count.
[[nodiscard]] std::strong_ordering compare_places(const SidecarArc& a, const SidecarArc& b);

struct SidecarThread {
  std::uint32_t thread = 0;  // as gettid()
  bool ended = false;        // before the profile was written
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;  // by weight
  std::uint64_t signals = 0;
  std::uint64_t cpu_time = 0;    // while sampled
  std::string name = {};         // the last one it had; empty if not known
  std::uint32_t process = 0;     // of a sum: its own process; 0: the sidecar's
  std::uint64_t start_time = 0;  // realtime clock; 0 if unknown

  friend bool operator==(const SidecarThread&, const SidecarThread&) = default;
};

struct SidecarSample {
  ModuleAddress place;
  std::uint64_t count = 0;  // by weight
  // These samples' part of the process's; 0 in files of collectors that did not say.
  std::uint64_t excess_variance = 0;
  // The part of `count` spent in the kernel; unknown without process_flags::marks_kernel_time.
  std::uint64_t kernel_count = 0;

  friend bool operator==(const SidecarSample&, const SidecarSample&) = default;
};

struct SidecarStack {
  std::uint64_t count = 0;            // by weight
  bool truncated = false;             // there are more frames after the last
  std::vector<ModuleAddress> frames;  // the sampled place, then return addresses and stack_marks
  // The first frame that was inferred for lack of call frame information, to which those further
  // out owe their certainty; 0 if there is none.
  std::uint32_t inferred_from = 0;

  friend bool operator==(const SidecarStack&, const SidecarStack&) = default;
};

// How long threads were blocked in calls of one function with one stack, by the clock.
struct SidecarWait {
  std::uint32_t stack = 0;  // index into Sidecar::wait_stacks
  WaitKind kind = WaitKind::other;
  std::uint64_t times = 0;
  std::uint64_t total = 0;     // nanoseconds
  std::uint64_t longest = 0;   // nanoseconds
  std::uint32_t function = 0;  // that blocked: index into Sidecar::names

  friend bool operator==(const SidecarWait&, const SidecarWait&) = default;
};

// Who had a lock while others waited for it.
struct SidecarHolder {
  std::uint32_t wait = 0;    // index into Sidecar::waits
  std::uint32_t holder = 0;  // where it was locked: index into Sidecar::wait_stacks
  std::uint64_t times = 0;
  std::uint64_t time = 0;  // nanoseconds that others waited

  friend bool operator==(const SidecarHolder&, const SidecarHolder&) = default;
};

// The signal that ended a process, and where: the stack begins with the instruction that caused it.
struct SidecarCrash {
  std::int32_t signal = 0;
  std::int32_t code = 0;             // si_code
  std::uint64_t address = 0;         // si_addr, a run-time address; 0 if no access faulted
  std::uint32_t thread = no_thread;  // index into Sidecar::threads
  SidecarStack stack;                // its count is 0

  friend bool operator==(const SidecarCrash&, const SidecarCrash&) = default;
};

// A sum keeps no more, and no reader looks at more, however many runs there are.
inline constexpr std::size_t most_crashes = 256;

// What one thread has of an arc, a sample place, a stack or a wait, in one slice of time.
// There may be millions: no byte is lost to alignment.
#pragma pack(push, 4)
struct SidecarPart {
  std::uint32_t whole = 0;           // index into Sidecar::arcs, samples, stacks or waits
  std::uint32_t thread = no_thread;  // index into Sidecar::threads; no_thread: several together
  std::uint32_t slice = no_slice;
  std::uint64_t count = 0;            // of calls, or by weight; of waits in nanoseconds
  std::uint64_t excess_variance = 0;  // of samples; of waits how many they were
  std::uint32_t kernel_count = 0;     // samples only, as in SidecarSample; saturates

  friend bool operator==(const SidecarPart&, const SidecarPart&) = default;
};
#pragma pack(pop)
static_assert(sizeof(SidecarPart) == 32);

struct Sidecar {
  std::uint32_t machine = 0;  // e_machine
  SidecarProcess process;
  std::vector<SidecarModule> modules;
  // Of functions passed through, and of those that blocked; the first is empty.
  std::vector<std::string> names = {""};
  std::vector<SidecarArc> arcs;        // ascending
  std::vector<SidecarThread> threads;  // in the order they started
  std::vector<SidecarSample> samples;  // ascending
  std::vector<SidecarStack> stacks;    // most frequent first
  // Of arcs, samples and stacks; ascending by whole, thread and slice. Parts of one whole add up to
  // at most its count. Empty in files of version 1.
  std::vector<SidecarPart> arc_parts;
  std::vector<SidecarPart> sample_parts;
  std::vector<SidecarPart> stack_parts;
  // Since version 3; empty without waits. The stacks' counts are nanoseconds, and may be 0 of those
  // of holders alone.
  std::vector<SidecarStack> wait_stacks;
  std::vector<SidecarWait> waits;  // ascending by stack and kind
  std::vector<SidecarPart> wait_parts;
  std::vector<SidecarHolder> wait_holders;  // ascending by wait and holder
  std::vector<SidecarCrash> crashes;        // of one process at most one
  std::uint64_t slice_width = 0;  // nanoseconds; 0: no part has a slice. The first begins at
                                  // process.start_time
  std::uint32_t slices = 0;       // each part's slice is below it

  // Empty if the symbol is unknown.
  [[nodiscard]] std::string_view name_of(const SidecarArc& arc) const {
    return arc.via_name < names.size() ? std::string_view(names[arc.via_name]) : "";
  }
  // Of a function that blocked; empty if it is not known.
  [[nodiscard]] std::string_view name_of(const SidecarWait& wait) const {
    return wait.function < names.size() ? std::string_view(names[wait.function]) : "";
  }
  friend bool operator==(const Sidecar&, const Sidecar&) = default;
};

// `path` is for messages. Every index in the result is valid, and parts are as Sidecar says.
// Errors: wrong_format, truncated, unsupported (a newer version), corrupt; each names the offset.
Expected<Sidecar> read_sidecar(std::span<const std::byte> bytes, const std::string& path);
Expected<Sidecar> read_sidecar_file(const std::filesystem::path& path);

// CRC-32 (zlib's) of what follows a sidecar's header.
[[nodiscard]] std::uint32_t sidecar_checksum(std::span<const std::byte> bytes);

// Puts arcs, samples, stacks, waits and their parts into the order of the format, and leaves out
// names that no arc and no wait has. Errors: invalid_argument where the sidecar refers to a module,
// name, thread, slice, wait or stack that it has not, parts add up to more than their whole, or a
// text holds a zero byte.
[[nodiscard]] Expected<std::vector<std::byte>> write_sidecar(const Sidecar& sidecar);

}  // namespace gprof
