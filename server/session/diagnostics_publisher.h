// Pushes diagnostics of the open documents to clients that do not pull them: when a document is
// opened, edited or saved, and when profiles or settings change. Never sends the same list twice.
//
// At most one check per document runs at a time; edits are debounced. Does nothing if the setting
// is off, or if the client pulls diagnostics or does not support them. Ownership: borrows the
// dispatcher and the service; checks still running when it is destroyed are dropped. Thread
// contract: the I/O thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include "server/session/dispatcher.h"
#include "server/session/profile_service.h"

namespace gprof::lsp {

class DiagnosticsPublisher : public std::enable_shared_from_this<DiagnosticsPublisher> {
 public:
  // Always by shared_ptr, since a check may end after it. `view` returns the document's current
  // state.
  DiagnosticsPublisher(const asio::any_io_executor& io, Dispatcher& dispatcher,
                       ProfileService& service,
                       std::function<DocumentView(const DocumentUri&)> view);

  void set_capabilities(const ClientCapabilities& client);
  // Turning it off clears what was published.
  void set_enabled(bool enabled);

  void opened(const DocumentUri& uri);
  void edited(const DocumentUri& uri);
  void saved(const DocumentUri& uri) { check(uri); }
  void closed(const DocumentUri& uri);
  // Profiles or settings changed: rechecks every open document.
  void refresh();
  // Checks what was edited without further delay.
  void flush();

 private:
  struct Document {
    std::uint64_t serial = 0;  // distinguishes a document from an earlier one with its name
    bool checking = false;
    bool check_again = false;
    std::vector<Diagnostic> shown;
  };
  struct Checked {
    std::vector<Diagnostic> diagnostics;
    std::optional<std::int32_t> version;
  };

  static Checked look(FeatureContext& context);
  void check(const DocumentUri& uri);
  void take(const DocumentUri& uri, std::uint64_t serial, Checked checked);
  void publish(const DocumentUri& uri, std::optional<std::int32_t> version,
               const std::vector<Diagnostic>& diagnostics);
  void take_back_all();

  asio::any_io_executor io_;
  Dispatcher& dispatcher_;
  ProfileService& service_;
  std::function<DocumentView(const DocumentUri&)> view_;
  bool wanted_ = false;  // by the client's capabilities
  bool enabled_ = false;
  asio::steady_timer edit_timer_;
  std::set<DocumentUri> edited_;  // the timer runs while there are any
  std::map<DocumentUri, Document> documents_;
  std::uint64_t last_serial_ = 0;
};

}  // namespace gprof::lsp
