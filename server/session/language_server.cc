#include "server/session/language_server.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include <asio/post.hpp>
#include <fmt/format.h>

#include "server/features/code_action.h"
#include "server/protocol/uri.h"
#include "server/session/routes/route.h"

namespace gprof::lsp {
namespace {

// A client that claims to answer workspace/configuration but does not must not block the profile.
constexpr std::chrono::seconds longest_configuration_wait{5};
constexpr const char* settings_section = "gprof";

// The newer members of `initialize` win over the older ones that they replace.
std::vector<WorkspaceFolder> folders_of(const InitializeParams& params) {
  if (!params.workspace_folders.empty()) return params.workspace_folders;
  if (params.root_uri) return {{*params.root_uri, {}}};
  if (params.root_path && params.root_path->starts_with('/')) {
    return {{uri_from_path(*params.root_path), {}}};
  }
  return {};
}

// Zed 1.6 is reported to resolve no lens in a folder opened over SSH, and to draw a blank line for
// each that has no command (github.com/zed-industries/zed/issues/59122). This follows that report
// and was not tried in Zed. Other release channels have names such as "Zed Preview".
bool draws_blank_lenses(std::string_view client) {
  return client == "Zed" || client.starts_with("Zed ");
}

}  // namespace

LanguageServer::LanguageServer(const asio::any_io_executor& io,
                               std::shared_ptr<Dispatcher> dispatcher,
                               std::unique_ptr<ProfileService> service,
                               LanguageServerOptions options, std::function<void()> ended)
    : io_(io),
      dispatcher_(std::move(dispatcher)),
      options_(std::move(options)),
      ended_(std::move(ended)),
      layers_(layer_count),
      configuration_wait_(io),
      events_(io, dispatcher_, options_.log),
      service_(std::move(service)),
      commands_(*service_, {[this](const DocumentUri& uri) { return view_of(uri); },
                            [this](const SettingsLayer& layer) { set_by_command(layer); }, reports_,
                            [this] { return folder_paths(); },
                            [this, alive = std::weak_ptr<Nothing>(alive_)](Job<> task) {
                              asio::post(io_, [alive, task = std::move(task)]() mutable {
                                if (!alive.expired()) task();
                              });
                            }}),
      diagnostics_(std::make_shared<DiagnosticsPublisher>(
          io, *dispatcher_, *service_, [this](const DocumentUri& uri) { return view_of(uri); })) {
  events_.on_refresh([this] {
    diagnostics_->refresh();
    refresh_reports(*service_, reports_);
  });
  layers_[file_layer] = options_.configuration_file;
  settings_ = merge_settings(layers_);
  register_lifecycle();
  register_documents();
  register_workspace();
  const RouteContext routes{*dispatcher_, *service_,
                            [this](const DocumentUri& uri) { return view_of(uri); }, reports_};
  register_text_routes(routes);
  register_navigation_routes(routes);
  register_report_routes(routes);
  register_extension_routes(routes);
}

LanguageServer::~LanguageServer() = default;

int LanguageServer::exit_code() const { return dispatcher_->phase() == Phase::shut_down ? 0 : 1; }

void LanguageServer::register_lifecycle() {
  dispatcher_->on_request<InitializeParams, InitializeResult>(
      "initialize", [this](InitializeParams params, Reply<InitializeResult> reply) {
        initialize(std::move(params), std::move(reply));
      });
  dispatcher_->on_notification<Nothing>("initialized", [this](Nothing) { initialized(); });
  dispatcher_->on_request<Nothing, Nothing>("shutdown", [this](Nothing, Reply<Nothing> reply) {
    dispatcher_->set_phase(Phase::shut_down);
    reply.succeed({});
  });
  dispatcher_->on_notification<SetTraceParams>(
      "$/setTrace", [this](const SetTraceParams& params) { dispatcher_->set_trace(params.value); });
  dispatcher_->on_notification<WorkDoneProgressCancelParams>(
      "window/workDoneProgress/cancel", [this](const WorkDoneProgressCancelParams& params) {
        events_.cancel_progress(params.token);
      });
  dispatcher_->on_notification<Nothing>("exit", [this](Nothing) {
    dispatcher_->cancel_open_requests();
    end();
  });
}

void LanguageServer::register_documents() {
  dispatcher_->on_notification<DidOpenParams>("textDocument/didOpen", [this](DidOpenParams params) {
    const DocumentUri uri = params.uri;
    note_document("textDocument/didOpen", documents_.open(std::move(params)));
    diagnostics_->opened(uri);
  });
  dispatcher_->on_notification<DidChangeParams>(
      "textDocument/didChange", [this](const DidChangeParams& params) {
        note_document("textDocument/didChange", documents_.change(params));
        diagnostics_->edited(params.uri);
      });
  // A saved text may be compiled next.
  dispatcher_->on_notification<DidSaveParams>(
      "textDocument/didSave", [this](const DidSaveParams& params) {
        note_document("textDocument/didSave", documents_.save(params.text_document.uri));
        diagnostics_->saved(params.text_document.uri);
      });
  dispatcher_->on_notification<DidCloseParams>(
      "textDocument/didClose", [this](const DidCloseParams& params) {
        note_document("textDocument/didClose", documents_.close(params.text_document.uri));
        told_of_left_out_ = told_of_left_out_ && documents_.any_left_out();
        diagnostics_->closed(params.text_document.uri);
        reports_.closed(params.text_document.uri);
      });
}

void LanguageServer::register_workspace() {
  dispatcher_->on_notification<DidChangeConfigurationParams>(
      "workspace/didChangeConfiguration", [this](DidChangeConfigurationParams params) {
        if (client_.workspace_configuration) return ask_for_configuration();
        if (params.settings) apply_settings(std::move(params.settings));
      });
  dispatcher_->on_notification<DidChangeWorkspaceFoldersParams>(
      "workspace/didChangeWorkspaceFolders",
      [this](const DidChangeWorkspaceFoldersParams& params) { change_workspace_folders(params); });
  dispatcher_->on_notification<DidChangeWatchedFilesParams>(
      "workspace/didChangeWatchedFiles", [this](DidChangeWatchedFilesParams params) {
        if (started_) service_->watched_files_changed(std::move(params.changes));
      });
  dispatcher_->on_request<ExecuteCommandParams, AnyValue>(
      "workspace/executeCommand",
      [this](const ExecuteCommandParams& params, Reply<AnyValue> reply) {
        commands_.execute(params.command, params.arguments, std::move(reply));
      });
  dispatcher_->on_request<IdleParams, IdleResult>(
      idle_request.method, [this](IdleParams, Reply<IdleResult> reply) {
        answer_when_idle(std::move(reply), std::nullopt);
      });
}

// Events of a load may cause more work, such as new diagnostics: ask the service again until it has
// run no further job. It posts its events to the I/O thread before it calls back, so the answer is
// sent after them.
void LanguageServer::answer_when_idle(Reply<IdleResult> reply, std::optional<std::uint64_t> jobs) {
  diagnostics_->flush();
  const std::uint64_t before = service_->jobs();
  if (jobs == before) return reply.succeed({});
  // The first of two looks may belong to a load that had read its files before.
  const unsigned looks = jobs ? 0 : 2;
  service_->when_idle(looks, [this, io = io_, alive = std::weak_ptr<Nothing>(alive_), before,
                              reply = std::move(reply)]() mutable {
    asio::post(io, [this, alive, before, reply = std::move(reply)]() mutable {
      if (!alive.expired()) answer_when_idle(std::move(reply), before);
    });
  });
}

std::optional<std::string> LanguageServer::refusal_of(const InitializeParams& params) const {
  if (options_.token && !options_.token->matches(params.options.token)) {
    return "this server needs its token in initializationOptions.gprof.token: it was printed when "
           "the server started, or is in the file of --token-file";
  }
  for (const WorkspaceFolder& folder : folders_of(params)) {
    const auto path = path_from_uri(folder.uri);
    if (path && !is_within(options_.bounds, *path)) {
      return describe(options_.bounds->refusal(*path));
    }
  }
  return std::nullopt;
}

void LanguageServer::initialize(InitializeParams params, Reply<InitializeResult> reply) {
  if (const auto refusal = refusal_of(params)) {
    events_.log(LogLevel::warning, "a client was turned away: " + *refusal);
    reply.fail(ResponseCode::request_failed, *refusal);
    return end();
  }
  folders_ = folders_of(params);
  layers_[initialize_layer] = std::move(params.options.settings);
  client_ = std::move(params.capabilities);
  if (draws_blank_lenses(params.client_name)) client_.lens_resolves_command = false;
  encoding_ = choose_encoding(client_.position_encodings);
  documents_.set_encoding(encoding_);
  events_.set_capabilities(client_);
  diagnostics_->set_capabilities(client_);
  settings_ = merge_settings(layers_);
  events_.set_log_level(settings_.log_level);
  dispatcher_->set_phase(Phase::running);
  dispatcher_->set_trace(params.trace);
  reply.succeed({offer(), "gprof-lsp", GPROF_LSP_VERSION});

  if (params.process_id && is_watched(*params.process_id)) {
    parent_ = std::make_unique<ProcessWatch>(io_, *params.process_id, [this] { end(); });
  }
  events_.log(LogLevel::info,
              fmt::format("gprof-lsp {} for {} {}, positions in {}", GPROF_LSP_VERSION,
                          params.client_name.empty() ? "a client" : params.client_name,
                          params.client_version, name_of(encoding_)));
}

bool LanguageServer::is_watched(std::int64_t process) const {
  switch (options_.parent_watch) {
    case ParentWatch::always:
      return true;
    case ParentWatch::if_it_runs_here:
      return process_exists(process);
    case ParentWatch::never:
      break;
  }
  return false;
}

// Only what the client has declared to support.
ServerCapabilities LanguageServer::offer() const {
  ServerCapabilities offered;
  offered.position_encoding = encoding_;
  offered.commands = Commands::names();
  offered.pull_diagnostics = client_.pull_diagnostics;
  if (client_.text_document_content) offered.content_scheme = report_scheme;
  offered.document_link = !client_.register_document_link;
  offered.folding_range = !client_.register_folding_range;
  offered.definition = !client_.register_definition;
  const bool has_own_menus = client_.gprof_extensions;
  if (client_.code_action_literals && client_.show_document && !has_own_menus) {
    offered.code_action_kinds.emplace_back(code_action_kind);
  }
  offered.experimental = extensions_offer();
  return offered;
}

// Features of reports are not offered for sources: other servers know those better.
void LanguageServer::register_for_reports() {
  RegisterForSchemeParams registration;
  registration.scheme = report_scheme;
  if (client_.register_document_link)
    registration.methods.emplace_back("textDocument/documentLink");
  if (client_.register_folding_range)
    registration.methods.emplace_back("textDocument/foldingRange");
  if (client_.register_definition) registration.methods.emplace_back("textDocument/definition");
  if (registration.methods.empty()) return;
  dispatcher_->request<Nothing>("client/registerCapability", registration,
                                [](const Outcome<Nothing>&) {});
}

void LanguageServer::initialized() {
  if (std::exchange(initialized_, true)) return;
  register_for_reports();
  if (client_.register_configuration) {
    dispatcher_->request<Nothing>(
        "client/registerCapability",
        RegisterConfigurationParams{"gprof-lsp/configuration", settings_section},
        [](const Outcome<Nothing>&) {});
  }
  if (!client_.workspace_configuration) return apply_settings(std::nullopt);
  ask_for_configuration();
  configuration_wait_.expires_after(longest_configuration_wait);
  configuration_wait_.async_wait(
      [this, alive = std::weak_ptr<Nothing>(alive_)](std::error_code cancelled) {
        if (!cancelled && !alive.expired() && !started_) apply_settings(std::nullopt);
      });
}

void LanguageServer::change_workspace_folders(const DidChangeWorkspaceFoldersParams& params) {
  for (const WorkspaceFolder& removed : params.removed) {
    std::erase_if(folders_, [&](const WorkspaceFolder& f) { return f.uri == removed.uri; });
  }
  for (const WorkspaceFolder& added : params.added) {
    const auto path = path_from_uri(added.uri);
    if (path && !is_within(options_.bounds, *path)) {
      events_.show_message(Severity::warning, describe(options_.bounds->refusal(*path)));
    } else {
      folders_.push_back(added);
    }
  }
  if (started_) service_->update_workspace_folders(folder_paths());
}

// The callback cannot run after this server is gone: the session stops the dispatcher first.
void LanguageServer::ask_for_configuration() {
  dispatcher_->request<ConfigurationResult>(
      "workspace/configuration", ConfigurationParams{settings_section},
      [this](Outcome<ConfigurationResult> answer) {
        if (auto* result = std::get_if<ConfigurationResult>(&answer)) {
          return apply_settings(std::move(result->settings));
        }
        events_.log(LogLevel::warning, "workspace/configuration was not answered: " +
                                           std::get_if<ResponseError>(&answer)->message);
        if (!started_) apply_settings(std::nullopt);
      });
}

void LanguageServer::apply_settings(std::optional<SettingsLayer> from_client) {
  if (from_client) layers_[client_layer] = std::move(*from_client);
  const ClientSettings before = std::exchange(settings_, merge_settings(layers_));
  events_.set_log_level(settings_.log_level);
  report_problems();
  diagnostics_->set_enabled(settings_.diagnostics || settings_.crash_diagnostics);
  if (!initialized_) return;
  if (!std::exchange(started_, true)) {
    configuration_wait_.cancel();
    service_->start({settings_, folder_paths(), client_, encoding_, options_.bounds}, events_);
  } else if (settings_ != before) {
    service_->update_settings(settings_);
  }
}

void LanguageServer::set_by_command(const SettingsLayer& layer) {
  layers_[command_layer].add(layer);
  // Otherwise it starts with these when the client's own settings have arrived.
  if (started_) apply_settings(std::nullopt);
}

void LanguageServer::report_problems() {
  std::string list;
  for (const SettingsLayer& layer : layers_) {
    for (const std::string& problem : layer.problems) {
      if (reported_problems_.insert(problem).second) list += "\n" + problem;
    }
  }
  if (list.empty()) return;
  events_.show_message(Severity::warning, "Some settings are ignored:" + list);
}

void LanguageServer::note_document(const char* method, const Expected<void>& done) {
  if (done) return;
  if (done.error().code != ErrorCode::unsupported) {
    events_.log(LogLevel::warning,
                fmt::format("{} is ignored: {}", method, describe(done.error())));
  } else if (!std::exchange(told_of_left_out_, true)) {
    events_.show_message(Severity::warning, describe(done.error()));
  }
}

DocumentView LanguageServer::view_of(const DocumentUri& uri) const {
  // The text on disk is not what the client shows.
  if (documents_.is_left_out(uri)) return {uri, {}, nullptr, 0, nullptr, documents_.open_files()};
  auto open = documents_.open_document(uri);
  const std::uint64_t revision = open ? open->revision() : 0;
  return {uri,
          path_from_uri(uri).value_or(std::filesystem::path()),
          std::move(open),
          revision,
          nullptr,
          documents_.open_files()};
}

std::vector<std::filesystem::path> LanguageServer::folder_paths() const {
  std::vector<std::filesystem::path> paths;
  for (const WorkspaceFolder& folder : folders_) {
    auto path = path_from_uri(folder.uri);
    if (path && std::find(paths.begin(), paths.end(), *path) == paths.end()) {
      paths.push_back(std::move(*path));
    }
  }
  return paths;
}

void LanguageServer::end() {
  if (const auto ended = std::exchange(ended_, nullptr)) ended();
}

}  // namespace gprof::lsp
