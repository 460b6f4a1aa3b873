// The last line of `gprof-lsp record --pid`: what was sampled, and what was not.
//
// Units: nanoseconds. Ownership: value types. Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/cli/record/attach_target.h"
#include "server/cli/record/record_summary.h"

namespace gprof::lsp {

// Why sampling ended.
enum class AttachEnd : std::uint8_t { time, interrupted, process, size, disk };

struct AttachResult {
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;  // records that the kernel had no room for
  std::size_t threads = 0;
  std::uint32_t rate = 0;  // samples a second of CPU time
  std::uint64_t cpu_time = 0;
  TimeSpan observed;
  bool has_kernel = false;      // whether time in the kernel was sampled
  std::optional<int> paranoid;  // kernel.perf_event_paranoid
  AttachEnd end = AttachEnd::time;
};

[[nodiscard]] DescribedFigures describe_attach(const AttachResult& result);

// "PATH: 1,204 samples at 990 of 997 Hz, 3 threads, nothing lost; observed 10.0 s, 1.2 s on CPU".
[[nodiscard]] std::string describe_recording(const std::string& path,
                                             const DescribedFigures& described);

// Why there is no profile, though the process was observed.
[[nodiscard]] std::string why_no_samples(const AttachTarget& target, const AttachResult& result);

}  // namespace gprof::lsp
