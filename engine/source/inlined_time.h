// Time in inlined code, by line: how much of a line's time was spent in copies that the compiler
// put into other functions, and by which calls; and what the calls on a line brought in.
//
// The two are the same time seen from both ends: never add them up.
// Units: ticks; link-time addresses; lines from 1. Thread contract: one thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/analysis/samples.h"
#include "engine/source/program_sources.h"
#include "engine/source/unit_lines.h"

namespace gprof {

// One call that the compiler replaced by the callee's code.
struct InlinedStep {
  std::string callee;  // qualified
  std::string caller;
  SourceLocation call;

  friend auto operator<=>(const InlinedStep&, const InlinedStep&) = default;
};

struct InlinedCopy {
  Ticks self = 0;                  // of the line, in this copy
  std::vector<InlinedStep> chain;  // innermost first; the last caller's code contains all of it
};

// A call on the line that was replaced by its callee's code.
struct InlinedHere {
  std::string callee;
  Ticks self = 0;  // of the callee's lines, including what was inlined into it
};

struct LineInlining {
  Ticks self = 0;                   // the line's own time in copies
  std::vector<InlinedCopy> copies;  // largest first; at most `most_copies`
  Ticks here = 0;                   // other lines' time
  std::vector<InlinedHere> calls;   // largest first

  static constexpr std::size_t most_copies = 16;
};

class InlinedTimes {
 public:
  InlinedTimes(const Samples& samples, FileId file) : samples_(samples), file_(file) {}

  // Adds the code of one line of the file, with its time.
  void add_extent(const UnitLines& unit, const LineExtent& extent, Ticks ticks);
  // Adds the inlined calls in the file.
  void add_calls(const UnitLines& unit);
  [[nodiscard]] std::map<LineNumber, LineInlining> take();

 private:
  const Samples& samples_;
  const FileId file_;
  std::map<LineNumber, std::map<std::vector<InlinedStep>, Ticks>> copies_;
  std::map<LineNumber, std::map<std::string, Ticks>> calls_;
};

}  // namespace gprof
