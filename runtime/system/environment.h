// The collector's settings from the environment, read once when the library is loaded.
// docs/runtime.md lists the variables. Invalid values are reported and replaced by defaults.
// Texts are copies, because servers set their title by overwriting arguments and environment.
//
// Thread contract: read_environment() before the first thread; read-only afterwards.
#pragma once

#include <cstdint>

namespace gprof_runtime {

inline constexpr std::uint32_t default_rate = 100;
inline constexpr std::uint32_t highest_rate = 20000;
inline constexpr std::uint32_t highest_sample_price = 1'000'000;

// A setting that may be left to what the program is.
enum class Wish : std::uint8_t { no, yes, automatic };

struct Settings {
  // The program has more rights than its user (AT_SECURE), who controls the current directory, the
  // limits and when it ends: no variables are read, and nothing must be written.
  bool is_privileged = false;
  std::uint32_t rate = default_rate;  // GPROF_RATE, samples per second of CPU time; 0: none
  bool automatic_rate = false;        // GPROF_RATE=auto: what the clock allows
  Wish stacks = Wish::automatic;      // GPROF_STACKS; automatic: where no calls are counted
  // GPROF_ANY: whether sampling begins when the library is loaded, even if nothing counts calls;
  // automatic: in programs outside the system's own directories.
  Wish any = Wish::automatic;
  bool live = false;           // GPROF_LIVE
  bool waits = false;          // GPROF_WAIT
  bool measure_price = false;  // GPROF_PRICE
  // GPROF_SAMPLE_PRICE: nanoseconds that the system takes for a sample, apart from what the
  // collector does; 0: not known.
  std::uint32_t sample_price = 0;
  // GPROF_LIVE_LIMIT: bytes that the live counters may take; 0: a hundredth of the free space.
  std::uint64_t live_limit = 0;
  // GPROF_OUTPUT: where all files go; empty: the rules of docs/runtime.md. Absolute.
  const char* output_directory = "";
  const char* name_prefix = "";  // GMON_OUT_PREFIX
  // GPROF_RECORD, set by `gprof-lsp record`: the process that it started; other processes add their
  // id to the names of their files. 0: not under record.
  std::uint32_t recorded_process = 0;
  // The name that the kernel executed the program by (AT_EXECFN); cut to the maximum path length.
  const char* program_name = "";
};

void read_environment();
const Settings& settings();

}  // namespace gprof_runtime
