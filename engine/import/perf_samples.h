// The samples in a text that `perf script` printed: lines `COMMAND PID[/TID] [CPU] TIME: PERIOD
// EVENT:` and the frames below them. Times and files of frames may be missing.
//
// Units: nanoseconds of perf's clock. Ownership: views are of the text, of which a block is in
// memory at a time. Thread contract: pure functions. Errors: those of reading the text; lines that
// are none of these are skipped.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/support/text_arena.h"
#include "engine/support/text_blocks.h"

namespace gprof {

struct PerfFrame {
  std::uint64_t address = 0;
  std::string_view symbol;  // empty if unknown
  std::uint64_t offset = 0;
  bool has_offset = false;
  bool is_inlined = false;
  std::string_view file;  // without " (deleted)"; empty if the text has none
  // The same for frames of equal lines; no_line if the line is not kept.
  std::uint32_t line = no_line;

  static constexpr std::uint32_t no_line = std::numeric_limits<std::uint32_t>::max();
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

// Remembers the frames of lines: a text repeats them, and finding one is quicker than reading it.
//
// Memory: at most some 100 MiB; of further lines nothing is kept. Ownership: owns the lines that
// its frames are views of.
class PerfFrameLines {
 public:
  PerfFrameLines() { grow(); }

  // A line below that of a sample.
  void add(std::string_view line);
  // Appends the frames in the lines that were added since the last call. Views of a line that is
  // not kept are of the given one.
  void take_frames(std::vector<PerfFrame>& frames);
  // Lines that were added since then.
  [[nodiscard]] std::size_t added() const { return added_.size(); }
  void forget_added() { added_.clear(); }
  // How many are kept; their numbers are smaller.
  [[nodiscard]] std::size_t size() const { return kept_.size(); }

 private:
  struct Line {
    std::uint64_t hash = 0;
    std::string_view text;
  };
  struct Kept {
    Line line;
    PerfFrame frame;
  };

  // Null if the line is not a frame. Valid until the next call.
  [[nodiscard]] const PerfFrame* find(const Line& line);
  const PerfFrame* keep(const Line& line);
  // Where a line's number is, or is to be put.
  [[nodiscard]] std::size_t slot_of(const Line& line) const;
  [[nodiscard]] std::size_t first_slot_of(const Line& line) const {
    return line.hash & (slots_.size() - 1);
  }
  void grow();

  std::vector<Line> added_;
  TextArena texts_;
  std::size_t text_bytes_ = 0;
  std::vector<Kept> kept_;
  std::vector<std::uint32_t> slots_;  // numbers; a power of two, at most half of them used
  PerfFrame other_;                   // of a line that is not kept
};

// The first line of a sample, without its frames.
[[nodiscard]] std::optional<PerfSample> parse_perf_header(std::string_view line);

// Gets a sample, whose views are valid until it returns, and returns whether it wants the frames of
// later samples: without them, reading is much faster.
using PerfSampleVisitor = std::function<bool(const PerfSample&)>;
[[nodiscard]] Expected<void> for_each_perf_sample(const TextBlocks& text, PerfFrameLines& lines,
                                                  const PerfSampleVisitor& visit);

}  // namespace gprof
