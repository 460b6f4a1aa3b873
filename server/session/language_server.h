// One client's session in the protocol's terms: the handshake, the open documents, the settings.
// Profiles are handled by the service.
//
// Ownership: owns the service, its events and the documents; shares the dispatcher.
// Thread contract: the I/O thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include "engine/support/folder_bounds.h"
#include "server/documents/document_store.h"
#include "server/protocol/extension_messages.h"
#include "server/report_documents/report_texts.h"
#include "server/session/client_events.h"
#include "server/session/commands.h"
#include "server/session/diagnostics_publisher.h"
#include "server/session/dispatcher.h"
#include "server/session/profile_service.h"
#include "server/system/log_file.h"
#include "server/system/process_watch.h"
#include "server/transport/access_token.h"

namespace gprof::lsp {

// Whether the session ends with the process that `initialize` names.
enum class ParentWatch : std::uint8_t {
  always,
  // The client did not start this server. The process may be on another machine (a forwarded port),
  // so a number without a process here means nothing.
  if_it_runs_here,
  never,
};

struct LanguageServerOptions {
  // From --config: the lowest layer of the settings.
  SettingsLayer configuration_file;
  ParentWatch parent_watch = ParentWatch::always;
  // The secret that the client must present; null: the client is known to be the user's own.
  std::shared_ptr<const AccessToken> token;
  // What the client may see and write.
  Bounds bounds;
  LogFile* log = nullptr;  // must outlive the server
};

class LanguageServer {
 public:
  // `ended` is called once: when the client sends `exit`, or when its process is gone.
  LanguageServer(const asio::any_io_executor& io, std::shared_ptr<Dispatcher> dispatcher,
                 std::unique_ptr<ProfileService> service, LanguageServerOptions options,
                 std::function<void()> ended);
  ~LanguageServer();
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  // 0 if the client requested the shutdown before it left, else 1.
  [[nodiscard]] int exit_code() const;

 private:
  enum Layer : std::size_t {
    file_layer,
    initialize_layer,
    client_layer,
    command_layer,
    layer_count
  };

  void register_lifecycle();
  void register_documents();
  void register_workspace();

  void initialize(InitializeParams params, Reply<InitializeResult> reply);
  // Why this client is not served.
  [[nodiscard]] std::optional<std::string> refusal_of(const InitializeParams& params) const;
  void initialized();
  void answer_when_idle(Reply<IdleResult> reply, std::optional<std::uint64_t> jobs);
  void register_for_reports();
  [[nodiscard]] ServerCapabilities offer() const;
  [[nodiscard]] bool is_watched(std::int64_t process) const;
  void change_workspace_folders(const DidChangeWorkspaceFoldersParams& params);
  void ask_for_configuration();
  void apply_settings(std::optional<SettingsLayer> from_client);
  void set_by_command(const SettingsLayer& layer);
  void report_problems();
  // Reports the outcome of opening or changing a document.
  void note_document(const char* method, const Expected<void>& done);
  [[nodiscard]] DocumentView view_of(const DocumentUri& uri) const;
  [[nodiscard]] std::vector<std::filesystem::path> folder_paths() const;
  void end();

  asio::any_io_executor io_;
  std::shared_ptr<Dispatcher> dispatcher_;
  LanguageServerOptions options_;
  std::function<void()> ended_;

  DocumentStore documents_;
  ClientCapabilities client_;
  PositionEncoding encoding_ = PositionEncoding::utf16;
  std::vector<WorkspaceFolder> folders_;
  std::vector<SettingsLayer> layers_;
  ClientSettings settings_;
  std::set<std::string> reported_problems_;
  bool initialized_ = false;
  bool started_ = false;
  bool told_of_left_out_ = false;  // documents; reported once, until all fit again
  asio::steady_timer configuration_wait_;
  std::unique_ptr<ProcessWatch> parent_;
  // Expires with this server: a wait that ended before still calls back.
  std::shared_ptr<Nothing> alive_ = std::make_shared<Nothing>();

  // In this order: the service ends before the events that it uses.
  ClientEvents events_;
  ReportTexts reports_;
  std::unique_ptr<ProfileService> service_;
  Commands commands_;
  std::shared_ptr<DiagnosticsPublisher> diagnostics_;
};

}  // namespace gprof::lsp
