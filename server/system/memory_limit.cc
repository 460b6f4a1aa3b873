#include "server/system/memory_limit.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <malloc.h>
#include <sys/resource.h>

#include "engine/support/parallel.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// Nothing if the file holds no number ("max") or cannot be read.
std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// The lowest number in the files of that name, from the group up to `top`.
std::optional<std::uint64_t> least_of(const fs::path& top, const fs::path& group,
                                      std::string_view file) {
  std::optional<std::uint64_t> least;
  for (fs::path at = group.relative_path();; at = at.parent_path()) {
    if (const auto number = number_in(top / at / file)) {
      least = std::min(least.value_or(*number), *number);
    }
    if (at.empty()) return least;
  }
}

// A line of /proc/self/cgroup: "4:memory:/group" of version 1, "0::/group" of version 2.
std::optional<std::uint64_t> limit_of_line(const fs::path& root, std::string_view line) {
  const std::size_t first = line.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const fs::path group = line.substr(second + 1);
  const fs::path groups = root / "sys/fs/cgroup";
  if (controllers.empty()) return least_of(groups, group, "memory.max");
  if (controllers == "memory") return least_of(groups / "memory", group, "memory.limit_in_bytes");
  return std::nullopt;
}

// What the kernel charges a process before it has allocated anything.
constexpr std::uint64_t taken_from_the_start = std::uint64_t{2} << 20U;

}  // namespace

std::optional<std::uint64_t> group_memory_limit(const fs::path& root) {
  std::ifstream groups(root / "proc/self/cgroup");
  std::optional<std::uint64_t> least;
  for (std::string line; std::getline(groups, line);) {
    if (const auto limit = limit_of_line(root, line)) {
      least = std::min(least.value_or(*limit), *limit);
    }
  }
  return least;
}

void heed_group_memory_limit() {
  const auto limit = group_memory_limit();
  if (!limit) return;
  rlimit own = {};
  if (getrlimit(RLIMIT_DATA, &own) != 0) return;
  // Thread stacks count in full, though little of them is used.
  rlimit stack = {};
  std::uint64_t stacks = 0;
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY) {
    stacks = (processor_count() - 1) * stack.rlim_cur;
  }
  const std::uint64_t rest = *limit - std::min(*limit, taken_from_the_start);
  const std::uint64_t wanted = rest + std::min(stacks, ~rest);
  if (wanted >= own.rlim_cur) return;
  own.rlim_cur = wanted;
  setrlimit(RLIMIT_DATA, &own);
}

void keep_large_blocks_apart() {
  // A fixed bound, as below. Smaller blocks are freed and reallocated while programs load.
  constexpr int large_block = 4 << 20;
  mallopt(M_MMAP_THRESHOLD, large_block);
  mallopt(M_TRIM_THRESHOLD, 2 * large_block);
}

void return_freed_memory() {
  // A fixed bound: by default the library raises it as large blocks are freed, and keeps them.
  constexpr int large_block = 256 << 10;
  mallopt(M_MMAP_THRESHOLD, large_block);
  mallopt(M_TRIM_THRESHOLD, large_block);
  // But this much is kept: new memory costs a fault per page, so reusing what one step has freed is
  // cheaper for the next.
  constexpr int kept = 2 << 20;
  mallopt(M_TOP_PAD, kept);
}

}  // namespace gprof::lsp
