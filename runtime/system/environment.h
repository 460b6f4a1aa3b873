// What the environment asks of the collector, read once when the library is loaded.
// docs/runtime.md lists the variables. Wrong values are reported and their defaults taken.
// Texts are copies: servers set their title by writing over their arguments and environment.
//
// Thread contract: read_environment() before the first thread; then read only.
#pragma once

#include <cstdint>

namespace gprof_runtime {

inline constexpr std::uint32_t default_rate = 100;
inline constexpr std::uint32_t highest_rate = 20000;

struct Settings {
  // The program has more rights than its user (AT_SECURE), who chooses the current directory, the
  // limits and the moment of its end: no variable is read, and nothing is to be written.
  bool is_privileged = false;
  std::uint32_t rate = default_rate;  // GPROF_RATE, samples a second of CPU time; 0: none
  bool automatic_rate = false;        // GPROF_RATE=auto: what the clock allows
  bool stacks = false;                // GPROF_STACKS
  bool live = false;                  // GPROF_LIVE
  bool measure_price = false;         // GPROF_PRICE
  // GPROF_OUTPUT: where all files go; empty: the rules of docs/runtime.md. Absolute.
  const char* output_directory = "";
  const char* name_prefix = "";  // GMON_OUT_PREFIX
  // GPROF_RECORD, of `gprof-lsp record`: the process that it started; others name their files
  // after themselves. 0: not under record.
  std::uint32_t recorded_process = 0;
  // Under which the kernel executed the program (AT_EXECFN); cut to what a path may be.
  const char* program_name = "";
};

void read_environment();
const Settings& settings();

}  // namespace gprof_runtime
