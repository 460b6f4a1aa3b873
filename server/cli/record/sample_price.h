// Measures what the system takes for one sample of the collector's clock: the timer's interrupt and
// the delivery of a signal, without the collector's own work. That is 3 us on a machine, 50 in some
// virtual ones. `record` measures it once, in its own process, so that no recorded program pays.
//
// Units: nanoseconds. Thread contract: call it while the process has one thread; it replaces the
// action for SIGURG until it returns. Errors: none if perf's clock is not allowed, or if no
// interruption was seen.
#pragma once

#include <cstdint>
#include <optional>

namespace gprof::lsp {

// The minimum of a few measurements, which take some 200 us together.
[[nodiscard]] std::optional<std::uint32_t> measured_sample_price();

}  // namespace gprof::lsp
