// Pushes diagnostics of the open documents to clients that do not pull them: when a document is
// opened, edited or saved, and when profiles or settings change. Never sends the same list twice.
//
// At most one check per document runs at a time; edits are debounced. Does nothing if the setting
// is off, or if the client pulls diagnostics or does not support them. Ownership: borrows the
// dispatcher and the service; checks still running when it is destroyed are dropped. Thread
// contract: the I/O thread.
#pragma once

#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>

#include "server/session/dispatcher.h"
#include "server/session/profile_service.h"

namespace gprof::lsp {

class DiagnosticsPublisher {
 public:
  // `view` returns the document's current state.
  DiagnosticsPublisher(const asio::any_io_executor& io, Dispatcher& dispatcher,
                       ProfileService& service,
                       std::function<DocumentView(const DocumentUri&)> view);
  ~DiagnosticsPublisher();
  DiagnosticsPublisher(const DiagnosticsPublisher&) = delete;
  DiagnosticsPublisher& operator=(const DiagnosticsPublisher&) = delete;

  void set_capabilities(const ClientCapabilities& client);
  // Turning it off clears what was published.
  void set_enabled(bool enabled);

  void opened(const DocumentUri& uri);
  void edited(const DocumentUri& uri);
  void saved(const DocumentUri& uri);
  void closed(const DocumentUri& uri);
  // Profiles or settings changed: rechecks every open document.
  void refresh();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace gprof::lsp
