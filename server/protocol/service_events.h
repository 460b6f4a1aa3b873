// What the profile service may send to the client. Neither side sees JSON.
//
// Outlives the service's threads: the service is destroyed (and joins them) first.
// Thread contract: any thread; each call is passed to the I/O thread, in order, and returns at
// once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"
#include "server/protocol/extensions.h"
#include "server/protocol/settings.h"
#include "server/protocol/window.h"

namespace gprof::lsp {

using ProgressId = std::uint64_t;

class ServiceEvents {
 public:
  virtual ~ServiceEvents() = default;

  // Does nothing if the client shows no progress. The id is never reused. `cancel` may be null; it
  // is called on the I/O thread when the user cancels, never after end_progress().
  virtual ProgressId begin_progress(std::string title, std::function<void()> cancel) = 0;
  virtual void report_progress(ProgressId id, std::uint32_t percent, std::string message) = 0;
  virtual void end_progress(ProgressId id, std::string message) = 0;

  // For the user; `severity` is error, warning or info.
  virtual void show_message(Severity severity, std::string text) = 0;
  // The same with choices; `chosen` is called on the I/O thread with the chosen title, or nothing.
  // If the client cannot ask, nothing is chosen.
  virtual void ask(Severity severity, std::string text, std::vector<std::string> choices,
                   std::function<void(std::optional<std::string>)> chosen) = 0;
  // For the client's log and the --log file, subject to the log level.
  virtual void log(LogLevel level, std::string text) = 0;
  // Displayed profile data is outdated: the client should ask again. Calls in a row are merged.
  virtual void refresh() = 0;
  // The virtual document's text has changed.
  virtual void refresh_document(DocumentUri uri) = 0;
  // gprof/status, to clients that support it.
  virtual void status(ProfileStatus status) = 0;
  // Opens a document in the editor if the client can; else does nothing.
  virtual void show_document(DocumentUri uri, std::optional<Range> selection) = 0;
  // Asks the client to report changes to these; each call replaces earlier ones. Does nothing if
  // the client watches no files: watched_files_changed is then never called.
  virtual void watch_files(std::vector<WatchedPattern> patterns) = 0;
};

}  // namespace gprof::lsp
