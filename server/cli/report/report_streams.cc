#include "server/cli/report/report_streams.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/gmon/beginning.h"
#include "engine/gmon/writer.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t first_piece = std::size_t{1} << 16U;
constexpr std::size_t growth = 4;
// Larger ones are not written either.
constexpr std::size_t most_stream_bytes = max_gmon_size;

std::string shown_name(const std::string& profile) {
  return profile == "-" ? "standard input" : profile;
}

Error stream_error(const std::string& profile, int error) {
  return {ErrorCode::unreadable, std::system_category().message(error), shown_name(profile),
          std::nullopt};
}

bool is_pipe(const std::string& profile) {
  struct stat status = {};
  return stat(profile.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Reads until the buffer is full or the stream ends. Returns the number of bytes read.
Expected<std::size_t> fill(int descriptor, std::span<std::byte> bytes, const std::string& profile) {
  std::size_t used = 0;
  while (used < bytes.size()) {
    const ssize_t count = read(descriptor, bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return stream_error(profile, errno);
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
  }
  return used;
}

// Checks the beginning before allocating more.
Expected<std::vector<std::byte>> read_stream(int descriptor, const std::string& profile,
                                             GmonFormatChoice format) {
  std::vector<std::byte> bytes(first_piece);
  std::size_t used = 0;
  for (;;) {
    const auto count = fill(descriptor, std::span(bytes).subspan(used), profile);
    if (!count) return count.error();
    used += *count;
    if (used < bytes.size()) break;
    if (auto fault = fault_of_beginning(bytes, shown_name(profile), format, most_stream_bytes)) {
      return *std::move(fault);
    }
    if (bytes.size() >= most_stream_bytes) {
      return Error{ErrorCode::unsupported,
                   fmt::format("more than {} MiB in a stream; no profile is that large: check what "
                               "writes it",
                               most_stream_bytes >> 20U),
                   shown_name(profile), std::nullopt};
    }
    bytes.resize(std::min(bytes.size() * growth, most_stream_bytes));
  }
  bytes.resize(used);
  return bytes;
}

Expected<std::vector<std::byte>> read_named(const std::string& profile, GmonFormatChoice format) {
  if (profile == "-") return read_stream(STDIN_FILENO, profile, format);
  const int descriptor = open(profile.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return stream_error(profile, errno);
  auto bytes = read_stream(descriptor, profile, format);
  close(descriptor);
  return bytes;
}

}  // namespace

Expected<void> read_streams(ReportOptions& options) {
  ReportRequest& request = options.request;
  for (const std::string& profile : request.profiles) {
    const bool is_stream = profile == "-" || is_pipe(profile);
    if (!is_stream || request.streams.contains(profile)) continue;
    if (!options.profiles_named) {
      return Error{ErrorCode::unreadable,
                   "a file expected, a pipe found; name it on the command line to read it", profile,
                   std::nullopt};
    }
    auto bytes = read_named(profile, request.format);
    if (!bytes) return bytes.error();
    request.streams.emplace(profile, *std::move(bytes));
  }
  return {};
}

}  // namespace gprof::lsp
