// Turns a control group's memory limit into one that this process notices: a process that exceeds
// the group's limit is killed without warning, one that exceeds its own can report it.
//
// Thread contract: call at startup, before any thread is started. Errors: none; an unknown limit
// counts as none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace gprof::lsp {

// Bytes; the lowest limit of this process's groups. `root` is the root of the file system, for
// tests.
[[nodiscard]] std::optional<std::uint64_t> group_memory_limit(
    const std::filesystem::path& root = "/");

// Sets that as the process's own limit: allocations fail before the group's limit is reached.
void heed_group_memory_limit();

// Returns large amounts of freed memory to the system at once, except for two megabytes: for
// processes that hold one large object after another.
void return_freed_memory();

// Gives large blocks memory of their own, which is returned to the system when they are freed: for
// processes that hold many of them, of different sizes and for unknown times.
void keep_large_blocks_apart();

}  // namespace gprof::lsp
