#include "server/discovery/live_files.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view live_start = "gmon.live.";

}  // namespace

std::uint32_t live_file_process(std::string_view name) {
  if (!name.starts_with(live_start)) return 0;
  name.remove_prefix(live_start.size());
  std::uint32_t process = 0;
  const char* const last = name.data() + name.size();
  auto [end, error] = std::from_chars(name.data(), last, process);
  if (error != std::errc() || process == 0) return 0;
  if (end == last) return process;
  std::uint32_t number = 0;
  if (*end != '.') return 0;
  const auto rest = std::from_chars(end + 1, last, number);
  return rest.ec == std::errc() && rest.ptr == last ? process : 0;
}

Expected<std::vector<fs::path>> find_live_files(const fs::path& directory) {
  std::error_code error;
  fs::directory_iterator entries(directory.empty() ? fs::path(".") : directory, error);
  std::vector<fs::path> found;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path name = entries->path().filename();
    if (live_file_process(name.native()) != 0) found.push_back(directory / name);
  }
  if (error) {
    Error failure{ErrorCode::unreadable, error.message(), directory.string(), std::nullopt};
    if (error == std::errc::no_such_file_or_directory) failure.code = ErrorCode::not_found;
    return failure;
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool process_runs(std::uint32_t process, std::uint64_t start) {
  if (process == 0) return false;
  const std::string folder = fmt::format("/proc/{}", process);
  std::ifstream in(folder + "/stat");
  std::string text;
  if (!std::getline(in, text, '\0')) {
    // Without /proc, the number alone must do.
    std::error_code error;
    return !fs::exists("/proc/self/stat", error) &&
           (kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM);
  }
  // The name, field 2, is in parentheses and may contain anything.
  std::size_t at = text.rfind(')');
  if (at == std::string::npos || at + 2 >= text.size()) return true;
  at += 2;
  const char state = text[at];
  constexpr int start_field = 22;
  for (int field = 3; field < start_field && at != std::string::npos; ++field) {
    at = text.find(' ', at);
    if (at != std::string::npos) ++at;
  }
  std::uint64_t started = 0;
  if (at != std::string::npos) {
    std::from_chars(text.data() + at, text.data() + text.size(), started);
  }
  if (start != 0 && started != 0 && started != start) return false;
  if (state != 'Z' && state != 'X') return true;
  // The main thread of a process may end before the others.
  std::error_code error;
  fs::directory_iterator threads(folder + "/task", error);
  return !error && std::distance(begin(threads), end(threads)) > 1;
}

}  // namespace gprof::lsp
