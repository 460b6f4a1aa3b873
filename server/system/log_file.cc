#include "server/system/log_file.h"

#include <cerrno>
#include <chrono>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace gprof::lsp {

Expected<std::unique_ptr<LogFile>> LogFile::open(const std::string& path, LogLevel level) {
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (!file) {
    return Error{ErrorCode::unreadable,
                 "the log cannot be written: " + std::generic_category().message(errno),
                 path,
                 {}};
  }
  return std::unique_ptr<LogFile>(new LogFile(file, level));
}

void LogFile::write(LogLevel level, std::string_view text) {
  if (level == LogLevel::off || level > level_) return;
  const auto now =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto milliseconds = now.time_since_epoch().count() % 1000;
  const std::string line = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} {}\n",
                                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                                       milliseconds, name_of(level), text);
  const std::lock_guard lock(mutex_);
  std::fwrite(line.data(), 1, line.size(), file_.get());
  std::fflush(file_.get());
}

}  // namespace gprof::lsp
