// The running process that `gprof-lsp record --pid` samples: what /proc says of it, and why the
// kernel refuses to sample it.
//
// Ownership: value types. Thread contract: functions read /proc, unless they are documented as
// pure.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::lsp {

// What the kernel appends to the path of a file that has been removed.
inline constexpr std::string_view removed_ending = " (deleted)";

// The whole text of a file in /proc; empty if it cannot be read.
[[nodiscard]] std::string proc_text(const std::filesystem::path& path);

// The threads that a process has now; some or none if it ends while they are listed.
[[nodiscard]] std::vector<std::uint32_t> threads_of(std::uint32_t process);

struct AttachTarget {
  std::uint32_t process = 0;
  std::uint32_t owner = 0;  // its effective user
  // Path of the program that it runs; empty if this user may not see it. If the file has been
  // removed or replaced since, the path that it had.
  std::string executable;
  std::string name;  // of the program; of the process where the path is unknown
};

// Errors: not_found if no such process runs; invalid_argument for what is not a process that runs
// a program: threads, processes that have ended, threads of the kernel, this process.
[[nodiscard]] Expected<AttachTarget> find_attach_target(std::uint32_t process);

// What decides whether this user may sample a process.
struct SamplingPermission {
  int error = 0;                // of perf_event_open
  std::optional<int> paranoid;  // see perf_event_paranoid()
  std::string owner;            // the process's user if that is not this one
  bool is_filtered = false;     // gprof-lsp runs under a seccomp filter, as in containers
};

// `error`: of perf_event_open.
[[nodiscard]] SamplingPermission sampling_permission(const AttachTarget& target, int error);

// kernel.perf_event_paranoid; none if the kernel has no such setting.
[[nodiscard]] std::optional<int> perf_event_paranoid();

// Why the kernel refuses to sample the process, and what would allow it, in one sentence. Pure.
[[nodiscard]] std::string why_not_sampled(const AttachTarget& target,
                                          const SamplingPermission& permission);

}  // namespace gprof::lsp
