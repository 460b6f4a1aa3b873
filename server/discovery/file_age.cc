#include "server/discovery/file_age.h"

#include <array>
#include <chrono>
#include <cstdint>

#include <fmt/format.h>

namespace gprof::lsp {

std::string age_text(FileTime modified, FileTime now) {
  struct Unit {
    std::int64_t seconds;
    const char* name;
  };
  constexpr std::array<Unit, 6> units{{{31'556'952, "year"},
                                       {2'629'746, "month"},
                                       {86'400, "day"},
                                       {3600, "hour"},
                                       {60, "minute"},
                                       {1, "second"}}};
  const std::int64_t seconds = (now - modified) / 1'000'000'000;
  for (const Unit& unit : units) {
    if (seconds < unit.seconds) continue;
    const std::int64_t count = seconds / unit.seconds;
    return fmt::format("{} {}{} ago", count, unit.name, count == 1 ? "" : "s");
  }
  return seconds < 0 ? "in the future" : "just now";
}

FileTime time_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace gprof::lsp
