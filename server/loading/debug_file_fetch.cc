#include "server/loading/debug_file_fetch.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

constexpr double bytes_per_megabyte = 1e6;

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string amount_text(const std::string& name, long done, long total) {
  if (total <= 0) return name;
  return fmt::format("{}: {:.1f} of {:.1f} MB", name,
                     static_cast<double>(done) / bytes_per_megabyte,
                     static_cast<double>(total) / bytes_per_megabyte);
}

std::uint32_t percent_of(long done, long total) {
  if (total <= 0 || done <= 0) return 0;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  return static_cast<std::uint32_t>(std::min(share, 1.0) * 100);
}

}  // namespace

void EditorFetchAudience::begin(const std::string& file, std::function<void()> cancel) {
  id_ = events_.begin_progress("Fetching debug information", std::move(cancel));
  events_.report_progress(id_, 0, name_of_file(file));
}

void EditorFetchAudience::report(std::uint32_t percent, const std::string& text) {
  events_.report_progress(id_, percent, text);
}

void EditorFetchAudience::end() { events_.end_progress(id_, ""); }

void EditorFetchAudience::say(std::string text) { events_.log(LogLevel::warning, std::move(text)); }

std::optional<std::filesystem::path> DebugFileFetch::fetch(const std::string& build_id_hex,
                                                           const std::string& path) {
  if (stopped_->load() || cancelled_) {
    gave_up_ = true;
    return std::nullopt;
  }
  const std::string name = name_of_file(path);
  bool begun = false;
  std::uint32_t told = 0;
  auto outcome = servers_->fetch(build_id_hex, path, [&](long done, long total) {
    // What is known already is not asked for.
    if (!std::exchange(begun, true)) {
      audience_.begin(path, [stopped = stopped_] { stopped->store(true); });
    }
    const std::uint32_t percent = percent_of(done, total);
    if (percent != told) audience_.report(percent, amount_text(name, done, total));
    told = percent;
    return !stopped_->load() && !cancelled_;
  });
  if (begun) audience_.end();
  gave_up_ = gave_up_ || outcome.gave_up;
  if (!outcome.message.empty()) audience_.say(std::move(outcome.message));
  return std::move(outcome.path);
}

DebugFileSearch debug_files_of(const std::shared_ptr<DebugFileServers>& servers,
                               FetchAudience& audience, const std::atomic<bool>& cancelled) {
  if (servers == nullptr) return {};
  DebugFileSearch search = servers->search();
  if (servers->are_named()) {
    search.source = std::make_shared<DebugFileFetch>(servers, audience, cancelled);
  }
  return search;
}

}  // namespace gprof::lsp
