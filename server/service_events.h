// What the part that knows profiles may tell the client. Neither side sees JSON.
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

  // Without effect where the client shows no progress. The id is never reused. `cancel`, where it
  // is given, is called on the I/O thread when the user asks to stop; never after end_progress().
  virtual ProgressId begin_progress(std::string title, std::function<void()> cancel) = 0;
  virtual void report_progress(ProgressId id, std::uint32_t percent, std::string message) = 0;
  virtual void end_progress(ProgressId id, std::string message) = 0;

  // For a person: `severity` error, warning or info.
  virtual void show_message(Severity severity, std::string text) = 0;
  // The same with choices; `chosen` is called on the I/O thread with the title that was taken, or
  // nothing. Where the client cannot ask, nothing is taken.
  virtual void ask(Severity severity, std::string text, std::vector<std::string> choices,
                   std::function<void(std::optional<std::string>)> chosen) = 0;
  // For the client's log and the --log file, as far as the log level lets through.
  virtual void log(LogLevel level, std::string text) = 0;
  // What was shown of profiles is no longer true: ask again. Several calls in a row become one.
  virtual void refresh() = 0;
  // The virtual document has another text than before.
  virtual void refresh_document(DocumentUri uri) = 0;
  // gprof/status, to clients that said that they know it.
  virtual void status(ProfileStatus status) = 0;
  // Opens a document in the editor, where the client can; nothing happens elsewhere.
  virtual void show_document(DocumentUri uri, std::optional<Range> selection) = 0;
  // The client is to tell of changes to these; each call replaces the ones before. Without effect
  // where the client watches no files: then watched_files_changed is never called.
  virtual void watch_files(std::vector<WatchedPattern> patterns) = 0;
};

}  // namespace gprof::lsp
