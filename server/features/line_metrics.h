// What each line of a file cost, by every metric, and how hot that makes it.
//
// Units: seconds stand for the profile's own unit; lines start at 1 and are those of the build.
// Heat is from 0 to 1 and means the same in every file of the program. For times it is the square
// root of the share of the program's time, for counts the logarithm of the count beside that of the
// program's largest: a line of one percent is seen, and one of a tenth of the time stands out.
// Ownership: plain values; LineMeter borrows the view. Thread contract: pure functions; a LineMeter
// is used by one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "server/features/file_view.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct LineCallee {
  SymbolIndex symbol = no_symbol;
  std::uint64_t count = 0;
  // The count is of this line and others together, which the profile cannot tell apart.
  bool approximate = false;
  // What these calls cost, callees of the callee included. None where no times were taken.
  std::optional<Seconds> seconds;
  bool measured = false;  // else an estimate
};

struct LineMetrics {
  LineNumber line = 0;
  std::optional<std::uint64_t> calls;  // that were made from here
  std::optional<std::uint64_t> executions;
  Seconds self_seconds = 0;
  Seconds self_error = 0;  // one standard deviation
  // Self, and what the line's calls cost: measured, or an estimate in which every call of a
  // function is taken to have cost the same. None where no times were taken, and where the line has
  // neither.
  std::optional<Seconds> total_seconds;
  bool total_measured = false;
  bool approximate = false;          // some of its calls may be other lines'
  std::vector<LineCallee> callees;   // most calls first
  std::array<double, 4> heats = {};  // by the number of the Metric

  [[nodiscard]] double heat(Metric metric) const { return heats[static_cast<std::size_t>(metric)]; }
};

// Measures lines of one view one by one. Costs per line as much as it has calls.
class LineMeter {
 public:
  // `view` outlives the meter.
  explicit LineMeter(const FileView& view);
  [[nodiscard]] LineMetrics measure(const LineCost& cost);
  // Of a line's own time, as the view counts that of inlined code.
  [[nodiscard]] Ticks self_ticks(const LineCost& cost) const {
    return view_.inlined_at_calls ? cost.self_at_calls() : cost.self;
  }
  // Of a line's time with its calls; 0 where no times were taken.
  [[nodiscard]] Ticks total_ticks(const LineCost& cost);

 private:
  struct LargestCounts {
    std::uint64_t calls = 0;
    std::uint64_t executions = 0;
  };

  using CallPrices = std::map<SymbolIndex, double>;  // ticks a call, by callee

  [[nodiscard]] std::optional<Ticks> measured_total(const LineCost& cost) const;
  [[nodiscard]] Ticks ticks_of(LineNumber line, const LineCall& call);
  [[nodiscard]] double ticks_per_call(const FunctionCost* caller, SymbolIndex callee);
  [[nodiscard]] const CallPrices& prices_of(const FunctionCost& caller);
  [[nodiscard]] double usual_ticks_per_call(SymbolIndex callee) const;
  [[nodiscard]] LargestCounts largest_counts() const;

  const FileView& view_;
  bool has_times_;
  std::optional<LargestCounts> largest_;              // looked for when it is first needed
  std::map<const FunctionCost*, CallPrices> prices_;  // by caller
  CallPrices usual_prices_;
};

// Of all lines that cost something, ascending, whether their text is as it was or not.
[[nodiscard]] std::vector<LineMetrics> line_metrics(const FileView& view);

}  // namespace gprof::lsp
