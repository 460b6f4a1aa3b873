#include "server/loading/load_notifier.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "server/discovery/run_text.h"
#include "server/loading/comparison_text.h"

namespace gprof::lsp {
namespace {

// Warnings of one load that are shown to the user; all of them are logged.
constexpr std::size_t most_shown_warnings = 3;
constexpr std::size_t most_warnings_of_status = 10;

// A file being written fails at a different place each time.
std::string key_of(const Error& failure) {
  return fmt::format("{}\n{}", static_cast<int>(failure.code), failure.path);
}

std::string rebuilt_text(const std::filesystem::path& program) {
  return fmt::format("{} was rebuilt since its profile was written: run it again to see this build",
                     program.string());
}

void add_warning(ProfileStatus& status, const std::string& text) {
  std::vector<std::string>& warnings = status.warnings;
  const bool is_new = std::ranges::find(warnings, text) == warnings.end();
  if (is_new && warnings.size() < most_warnings_of_status) warnings.push_back(text);
}

}  // namespace

void LoadNotifier::tell(const LoadReport& report, bool asked) {
  std::vector<std::string> failures;
  std::vector<std::string> warnings;
  std::vector<std::string> rebuilt;
  std::vector<std::string> remarks;
  {
    const std::lock_guard lock(mutex_);
    std::set<std::string> holds;
    const auto add = [&](const std::string& key, std::string text, auto& list) {
      if (!holds.insert(key).second) return;
      if (asked || !told_.contains(key)) list.push_back(std::move(text));
    };
    for (const Error& error : report.failures) add(key_of(error), describe(error), failures);
    for (const auto& path : report.rebuilt) add(rebuilt_text(path), rebuilt_text(path), rebuilt);
    for (const Error& error : report.warnings) add(describe(error), describe(error), warnings);
    for (const std::string& remark : report.remarks) add(remark, remark, remarks);
    told_ = std::move(holds);
    late_ = 0;
    late_warnings_.clear();
  }
  for (std::string& text : remarks) events_.log(LogLevel::info, std::move(text));
  for (std::string& text : failures) events_.show_message(Severity::error, std::move(text));
  for (std::string& text : rebuilt) {
    if (shows_status_) {
      events_.log(LogLevel::info, std::move(text));
    } else {
      events_.show_message(Severity::info, std::move(text));
    }
  }
  warn(warnings);
}

void LoadNotifier::warn(const std::vector<std::string>& texts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i < most_shown_warnings && !shows_status_) {
      events_.show_message(Severity::warning, texts[i]);
    } else {
      events_.log(LogLevel::warning, texts[i]);
    }
  }
}

bool LoadNotifier::tell_late_warnings(const std::vector<LoadedProgram>& programs) {
  Warnings all;
  for (const LoadedProgram& program : programs) {
    // Problems of an older build are of no interest.
    if (program.rebuilt_since) continue;
    Warnings warnings = program.snapshot->warnings();
    all.insert(all.end(), std::make_move_iterator(warnings.begin()),
               std::make_move_iterator(warnings.end()));
  }
  std::vector<std::string> news;
  {
    const std::lock_guard lock(mutex_);
    if (all.size() == std::exchange(late_, all.size())) return false;
    for (const Error& warning : all) {
      std::string text = describe(warning);
      if (warning.code != ErrorCode::stale && told_.insert(text).second) {
        news.push_back(std::move(text));
      }
    }
    late_warnings_.insert(late_warnings_.end(), news.begin(), news.end());
  }
  warn(news);
  return shows_status_ && !news.empty();
}

void LoadNotifier::add_late_warnings(ProfileStatus& status) {
  const std::lock_guard lock(mutex_);
  for (const std::string& text : late_warnings_) add_warning(status, text);
}

ProfileStatus status_of(const ProfileStore::State& state, const LoadReport& report) {
  ProfileStatus status;
  status.state = ProfileState::ready;
  status.generation = state.generation;
  if (!report.failures.empty()) status.message = describe(report.failures.front());
  if (state.programs->empty()) {
    if (!report.failures.empty()) status.state = ProfileState::error;
    if (status.message.empty() && !report.warnings.empty()) {
      status.state = ProfileState::error;
      status.message = describe(report.warnings.front());
    }
    if (status.message.empty() && !report.remarks.empty()) status.message = report.remarks.front();
    return status;
  }
  const LoadedProgram& first = state.programs->front();
  for (const Error& warning : report.warnings) {
    // The state says this already, and the message what to do.
    const bool is_said = warning.code == ErrorCode::stale && first.rebuilt_since;
    if (!is_said) add_warning(status, describe(warning));
  }
  status.program = first.snapshot->image().path();
  status.profiles = first.snapshot->profile_paths();
  // Files of one run are one profile.
  const std::size_t more_files = std::max<std::size_t>(status.profiles.size(), 1) - 1;
  status.why = describe(first.reason,
                        first.candidates.size() - std::min(more_files, first.candidates.size()));
  status.pinned = first.reason == ProfileReason::pinned;
  status.live = first.live;
  status.ran = ran_text(*first.snapshot);
  status.waiting = waiting_text(*first.snapshot);
  status.tick = tick_text(first.snapshot->profile());
  status.comparison = program_comparison(first);
  if (first.rebuilt_since) {
    status.state = ProfileState::stale;
    status.message = rebuilt_text(status.program);
  }
  return status;
}

}  // namespace gprof::lsp
