// The samples in a text that `perf script` printed: lines `COMMAND PID[/TID] [CPU] TIME: PERIOD
// EVENT:` and the frames below them. Times and files of frames may be missing.
//
// Units: nanoseconds of perf's clock. Ownership: views are of the text. Thread contract: pure
// functions. Errors: none; lines that are none of these are skipped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace gprof {

struct PerfFrame {
  std::uint64_t address = 0;
  std::string_view symbol;  // empty if unknown
  std::uint64_t offset = 0;
  bool has_offset = false;
  bool is_inlined = false;
  std::string_view file;  // without " (deleted)"; empty if the text has none
};

struct PerfSample {
  std::string_view command;   // the thread's name; may be empty
  std::uint32_t process = 0;  // 0 if the line has only one number, the thread's
  std::uint32_t thread = 0;
  bool has_time = false;
  std::uint64_t time = 0;
  std::uint64_t period = 0;  // 0 if not given
  std::string_view event;
  std::string_view fields;        // what a tracepoint says
  bool has_frame = false;         // on the same line: there is no call chain
  std::vector<PerfFrame> frames;  // the innermost first
};

// What a sample of `sched:sched_switch` says: `prev_comm=a prev_pid=1 prev_prio=120 prev_state=S
// ==> next_comm=b next_pid=2 next_prio=120`, or `a:1 [120] S ==> b:2 [120]`.
struct PerfSwitch {
  std::uint32_t previous = 0;
  std::uint32_t next = 0;
  bool waits = false;        // the previous thread could not have gone on
  bool is_for_disk = false;  // it cannot be interrupted
};
[[nodiscard]] std::optional<PerfSwitch> parse_perf_switch(std::string_view fields);

// A line below that of its sample; none if it is no frame.
[[nodiscard]] std::optional<PerfFrame> parse_perf_frame(std::string_view line);

// The first line of a sample, without its frames.
[[nodiscard]] std::optional<PerfSample> parse_perf_header(std::string_view line);

// `visit` returns whether it wants the frames of later samples: without them, reading is much
// faster.
void for_each_perf_sample(std::string_view text,
                          const std::function<bool(const PerfSample&)>& visit);

}  // namespace gprof
