// The cost of each line of a file by every metric, and its heat.
//
// Units: seconds stand for the profile's own unit; lines start at 1 and are those of the build.
// Heat is 0 to 1 and comparable across the program's files. For times it is the square root of the
// share of the program's time, for counts the logarithm of the count relative to that of the
// program's largest: a line with one percent is visible, and one with a tenth of the time stands
// out. Ownership: plain values; LineMeter borrows the view. Thread contract: pure functions; a
// LineMeter is used by one thread.
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
  std::uint64_t count = 0;  // 0: not counted, but seen on stacks
  // The count is of this line and others together, which the profile cannot separate.
  bool approximate = false;
  // The inclusive cost of these calls. None without times.
  std::optional<Seconds> seconds;
  bool measured = false;  // else an estimate
};

struct LineMetrics {
  LineNumber line = 0;
  std::optional<std::uint64_t> calls;  // made from here; none if none was counted
  std::optional<std::uint64_t> executions;
  Seconds self_seconds = 0;
  Seconds self_error = 0;  // one standard deviation, as all errors
  double self_share = 0;   // of the program's time, as all shares
  // Self, and what the line's calls cost: measured, with what was inlined into the line, or an
  // estimate that assumes every call of a function to cost the same. None without times, or if the
  // line has neither.
  std::optional<Seconds> total_seconds;
  Seconds total_error = 0;
  double total_share = 0;
  bool total_measured = false;
  bool approximate = false;         // some of its calls may be other lines'
  std::vector<LineCallee> callees;  // most calls first, then most time
  std::array<double, wire_names<ShownMetric>.values.size()> heats =
      {};  // by the number of the Metric

  [[nodiscard]] double heat(ShownMetric metric) const {
    return heats[static_cast<std::size_t>(metric)];
  }
};

// In which of the five colours a heat is shown, 5 for the hottest; 0 for none.
[[nodiscard]] std::uint32_t heat_level(double heat, ShownMetric metric);

// Measures the lines of one view one by one. Cost per line: linear in its calls.
class LineMeter {
 public:
  // `view` must outlive the meter.
  explicit LineMeter(const FileView& view);
  [[nodiscard]] LineMetrics measure(const LineCost& cost);
  // The same without heats, which need the counts of the whole program.
  [[nodiscard]] LineMetrics figures(const LineCost& cost);
  // A line's self time, with inlined code counted as the view does.
  [[nodiscard]] Ticks self_ticks(const LineCost& cost) const {
    return view_.inlined_at_calls ? cost.self_at_calls() : cost.self;
  }
  // A line's time including its calls; 0 without times.
  [[nodiscard]] Ticks total_ticks(const LineCost& cost);

 private:
  struct LargestCounts {
    std::uint64_t calls = 0;
    std::uint64_t executions = 0;
  };

  using CallPrices = std::map<SymbolIndex, double>;  // ticks per call, by callee

  [[nodiscard]] std::optional<Ticks> measured_total(const LineCost& cost) const;
  [[nodiscard]] Ticks ticks_of(LineNumber line, const LineCall& call);
  [[nodiscard]] double ticks_per_call(const FunctionCost* caller, SymbolIndex callee);
  [[nodiscard]] const CallPrices& prices_of(const FunctionCost& caller);
  [[nodiscard]] double usual_ticks_per_call(SymbolIndex callee) const;
  [[nodiscard]] LargestCounts largest_counts() const;

  const FileView& view_;
  bool has_times_;
  std::optional<LargestCounts> largest_;              // computed on first use
  std::map<const FunctionCost*, CallPrices> prices_;  // by caller
  CallPrices usual_prices_;
};

}  // namespace gprof::lsp
