// Sends diagnostics of the open documents to clients that do not ask for them: when a document is
// opened, edited or saved, and when profiles or settings change. Never twice the same.
//
// At most one look at a document is under way at a time; edits are looked at together, some moments
// later. Without effect where the setting is off, and for clients that pull or know no diagnostics.
// Ownership: borrows the dispatcher and the service; what is under way when it is destroyed is
// dropped. Thread contract: the I/O thread.
#pragma once

#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>

#include "server/dispatcher.h"
#include "server/profile_service.h"

namespace gprof::lsp {

class DiagnosticsPublisher {
 public:
  // `view` gives the document as it is.
  DiagnosticsPublisher(const asio::any_io_executor& io, Dispatcher& dispatcher,
                       ProfileService& service,
                       std::function<DocumentView(const DocumentUri&)> view);
  ~DiagnosticsPublisher();
  DiagnosticsPublisher(const DiagnosticsPublisher&) = delete;
  DiagnosticsPublisher& operator=(const DiagnosticsPublisher&) = delete;

  void set_capabilities(const ClientCapabilities& client);
  // The setting. What was shown is taken back when it is turned off.
  void set_enabled(bool enabled);

  void opened(const DocumentUri& uri);
  void edited(const DocumentUri& uri);
  void saved(const DocumentUri& uri);
  void closed(const DocumentUri& uri);
  // Profiles or settings are other ones: looks at every open document.
  void refresh();

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace gprof::lsp
