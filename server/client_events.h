// Carries a service's events to the client: progress, messages, refreshes. What the client cannot
// do is left out here, so that the service need not know.
//
// Ownership: shares its state with tasks that wait for the I/O thread. The executor outlives it.
// Thread contract: the ServiceEvents side on any thread; the rest on the I/O thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>

#include "server/dispatcher.h"
#include "server/log_file.h"
#include "server/profile_service_interface.h"

namespace gprof::lsp {

class ClientEvents : public ServiceEvents {
 public:
  // `log` may be null; it outlives the events.
  ClientEvents(asio::any_io_executor io, std::shared_ptr<Dispatcher> dispatcher, LogFile* log);
  ~ClientEvents() override;

  void set_capabilities(const ClientCapabilities& capabilities);
  void set_log_level(LogLevel level);

  ProgressId begin_progress(std::string title) override;
  void report_progress(ProgressId id, std::uint32_t percent, std::string message) override;
  void end_progress(ProgressId id, std::string message) override;
  void show_message(Severity severity, std::string text) override;
  void log(LogLevel level, std::string text) override;
  void refresh() override;
  void show_document(DocumentUri uri, std::optional<Range> selection) override;
  void watch_files(std::vector<std::string> patterns) override;

 private:
  class Client;  // what the I/O thread knows of the client

  void post(std::function<void(Client&)> task);

  asio::any_io_executor io_;
  std::shared_ptr<Client> client_;
  LogFile* log_;
  std::atomic<ProgressId> last_progress_ = 0;
};

}  // namespace gprof::lsp
