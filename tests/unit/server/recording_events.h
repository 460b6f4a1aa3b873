// Records what a service tells its client.
//
// Thread contract: any thread for the service's calls; read the members when it is idle.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/protocol/service_events.h"

namespace gprof::test {

class RecordingEvents : public lsp::ServiceEvents {
 public:
  std::vector<std::string> messages;  // severity and text
  std::vector<std::string> logged;
  std::vector<lsp::ProfileStatus> statuses;
  std::vector<std::string> progress_ends;
  std::vector<std::vector<lsp::WatchedPattern>> watched;
  std::vector<std::string> asked;  // the choices of the last question
  std::function<void(std::optional<std::string>)> chosen;
  int refreshes = 0;
  bool cancels = false;  // cancels every progress as soon as it starts

  lsp::ProgressId begin_progress(std::string, std::function<void()> cancel) override {
    if (cancels) cancel();
    return 1;
  }
  void report_progress(lsp::ProgressId, std::uint32_t, std::string) override {}
  void end_progress(lsp::ProgressId, std::string message) override {
    const std::lock_guard lock(mutex_);
    progress_ends.push_back(std::move(message));
  }
  void show_message(lsp::Severity severity, std::string text) override {
    const std::lock_guard lock(mutex_);
    messages.push_back(std::to_string(static_cast<int>(severity)) + " " + text);
  }
  void ask(lsp::Severity, std::string, std::vector<std::string> choices,
           std::function<void(std::optional<std::string>)> answer) override {
    const std::lock_guard lock(mutex_);
    asked = std::move(choices);
    chosen = std::move(answer);
  }
  void log(lsp::LogLevel, std::string text) override {
    const std::lock_guard lock(mutex_);
    logged.push_back(std::move(text));
  }
  void refresh() override {
    const std::lock_guard lock(mutex_);
    ++refreshes;
  }
  void refresh_document(lsp::DocumentUri) override {}
  void status(lsp::ProfileStatus status) override {
    const std::lock_guard lock(mutex_);
    statuses.push_back(std::move(status));
  }
  void show_document(lsp::DocumentUri, std::optional<lsp::Range>) override {}
  void watch_files(std::vector<lsp::WatchedPattern> patterns) override {
    const std::lock_guard lock(mutex_);
    watched.push_back(std::move(patterns));
  }

 private:
  std::mutex mutex_;
};

}  // namespace gprof::test
