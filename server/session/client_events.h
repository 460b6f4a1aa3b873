// Carries a service's events to the client: progress, messages, refreshes. Drops what the client
// does not support, so that the service need not know.
//
// Ownership: shares its state with tasks that wait for the I/O thread. The executor outlives it.
// Thread contract: the ServiceEvents side on any thread; the rest on the I/O thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>

#include "server/protocol/service_events.h"
#include "server/session/dispatcher.h"
#include "server/system/log_file.h"

namespace gprof::lsp {

class ClientEvents : public ServiceEvents {
 public:
  // `log` may be null; it must outlive the events.
  ClientEvents(asio::any_io_executor io, std::shared_ptr<Dispatcher> dispatcher, LogFile* log);
  ~ClientEvents() override;

  void set_capabilities(const ClientCapabilities& capabilities);
  void set_log_level(LogLevel level);
  // Called on the I/O thread, after earlier listeners, whenever displayed profile data is outdated.
  void on_refresh(std::function<void()> listener);

  // window/workDoneProgress/cancel.
  void cancel_progress(const std::string& token);

  ProgressId begin_progress(std::string title, std::function<void()> cancel) override;
  void report_progress(ProgressId id, std::uint32_t percent, std::string message) override;
  void end_progress(ProgressId id, std::string message) override;
  void show_message(Severity severity, std::string text) override;
  void ask(Severity severity, std::string text, std::vector<std::string> choices,
           std::function<void(std::optional<std::string>)> chosen) override;
  void log(LogLevel level, std::string text) override;
  void refresh() override;
  void refresh_document(DocumentUri uri) override;
  void status(ProfileStatus status) override;
  void show_document(DocumentUri uri, std::optional<Range> selection) override;
  void watch_files(std::vector<WatchedPattern> patterns) override;

 private:
  class Client;  // what the I/O thread knows about the client

  // Calls a member of the client on the I/O thread.
  template <typename Member, typename... Arguments>
  void post(Member member, Arguments... arguments);

  asio::any_io_executor io_;
  std::shared_ptr<Client> client_;
  LogFile* log_;
  std::atomic<ProgressId> last_progress_ = 0;
};

}  // namespace gprof::lsp
