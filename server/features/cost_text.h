// The short texts of lenses and hints, and the longer ones that hovers and tooltips share.
//
// Thread contract: pure functions.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "server/features/file_view.h"
#include "server/protocol/extension_answers.h"
#include "server/text/number_text.h"

namespace gprof::lsp {

struct ShownTimes {
  Ticks self = 0;
  std::optional<Ticks> total;  // none if it is not known
  bool measured = false;
  bool lacks_libraries = false;  // the total does not have what libraries took

  // Whether the total is less certain than self times are.
  [[nodiscard]] bool is_estimate() const {
    return !measured && (total.value_or(0) > self || lacks_libraries);
  }
};
// Those that a function's lens shows: of its own code, or of its copies if it was inlined
// everywhere.
[[nodiscard]] ShownTimes shown_times(const FunctionCost& function);

// "7,208 calls", "10 calls + 4 recursive", "never called", …
[[nodiscard]] std::string calls_text(const FunctionCost& function);
// Whether the function's calls are not counted, as those of code that was built without -pg: then
// its times are all that is told of it.
[[nodiscard]] bool is_uncounted(const LoadedProgram& program, const FunctionCost& function);
// The same of the whole program.
[[nodiscard]] bool counts_no_calls(const LoadedProgram& program);
// Whether totals are known. Without calls they are not, unless they were measured. Waits for the
// graph.
[[nodiscard]] bool has_totals(const LoadedProgram& program);
// "7,208 calls · self 0.42 s (33 %) · total 1.05 s (83 %, from stacks) · #1 by self time";
// "total ≈1.05 s" if it is gprof's estimate. Without calls "self 0.42 s (33 %) · total 1.05 s (83
// %) measured · #1".
[[nodiscard]] std::string figures_text(const LoadedProgram& program, const FunctionCost& function);
// Whether the program is shown without its calls: they have no time, and a stretch of time is
// selected.
[[nodiscard]] bool has_calls_left_out(const LoadedProgram& program);
// The same, with what waited, the difference from the base and how the function's text relates to
// the compiled one. `threshold`: the share of the program's waits that is worth telling.
[[nodiscard]] std::string lens_text(const FileView& view, const FunctionCost& function,
                                    double threshold);

// Whether lines of the function were changed, inserted or deleted since the build, as far as known:
// never true in a stale file. Linear in the function's lines.
[[nodiscard]] bool changed_since_build(const FileView& view, const FunctionCost& function);

// How times of the profile are written.
[[nodiscard]] TimeUnit unit_of(const FunctionCosts& profile);
// The same with the name of any unit but the second spelled out, unless it is long.
[[nodiscard]] TimeUnit spelled_unit_of(const FunctionCosts& profile);
// "0.42 s", in the profile's own unit, with as many digits as its error allows; "< 0.03 s" if no
// sample was taken: less than that with 95 % confidence.
[[nodiscard]] std::string time_text(const FunctionCosts& profile, Ticks ticks);
// The unit for several times of one sentence.
[[nodiscard]] TimeUnit unit_of(const FunctionCosts& profile, std::initializer_list<Ticks> times);
[[nodiscard]] std::string time_text(const FunctionCosts& profile, Ticks ticks,
                                    const TimeUnit& unit);
// "0.42 s (33 %)"; a remark follows the share.
[[nodiscard]] std::string time_and_share(const FunctionCosts& profile, Ticks ticks,
                                         std::string_view remark = {});
// "0.42 s ± 0.06 s (33 %)", with one standard deviation.
[[nodiscard]] std::string time_with_error(const FunctionCosts& profile, Ticks ticks, Ticks error);
[[nodiscard]] std::string time_with_error(const FunctionCosts& profile, Ticks ticks, Ticks error,
                                          const TimeUnit& unit);
// The same for a sampled time.
[[nodiscard]] std::string time_with_error(const FunctionCosts& profile, Ticks ticks);
// ", of that in the kernel: 29 % ± 4 %", of `kernel` ticks of a self time, with one standard
// deviation if that shows in the digits; empty if there are too few to say, or less than 1 %.
[[nodiscard]] std::string kernel_share_text(const FunctionCosts& profile, Ticks kernel, Ticks self);
// How a total that includes callees is known: "from stacks", or "counted" if every cost was
// counted.
[[nodiscard]] std::string_view measured_remark(const FunctionCosts& profile);
// The same where there are no calls beside it: "measured" or "counted".
[[nodiscard]] std::string_view measured_word(const FunctionCosts& profile);
// Whether the program's total times are measured or estimated; none if it has no times.
[[nodiscard]] std::optional<TimeBasis> basis_of(const Snapshot& snapshot);
// Whether a time exceeds its error: times that do not say little and are listed last.
[[nodiscard]] bool is_significant(const FunctionCosts& profile, Ticks ticks, Ticks error);
[[nodiscard]] SampleScale sample_scale(const FunctionCosts& profile);
// A share of the program's time.
[[nodiscard]] double share_of(const FunctionCosts& profile, Ticks ticks);
// Whether times mean anything: samples were taken, and there were some.
[[nodiscard]] bool has_times(const FunctionCosts& profile);

}  // namespace gprof::lsp
