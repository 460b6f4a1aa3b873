// What a control group allows in memory, as a limit that this process sees coming: a process that
// exceeds the group's is killed without a word, one that exceeds its own can say so.
//
// Thread contract: for the beginning of a process, before it starts threads. Errors: none; where
// nothing is known of a limit, there is none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace gprof::lsp {

// Bytes; the least that the groups of this process allow. `root` is where the files of the system
// are, for tests.
[[nodiscard]] std::optional<std::uint64_t> group_memory_limit(
    const std::filesystem::path& root = "/");

// Limits the process's own memory to that: allocations fail before the group's limit is reached.
void heed_group_memory_limit();

// Memory that is freed goes back to the system at once where there is much of it, but for two
// megabytes: for processes that hold one large thing after the other.
void return_freed_memory();

// Large blocks get memory of their own, which goes back to the system when they are freed: for
// processes that hold many of them, of which no two are of one size, for as long as somebody likes.
void keep_large_blocks_apart();

}  // namespace gprof::lsp
