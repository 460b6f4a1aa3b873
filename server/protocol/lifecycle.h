// Structures of the handshake: what the client can do, where it works, what the server offers.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/any_value.h"
#include "server/protocol/basic_types.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// The capabilities that this server uses (lifecycle.cc). One that is missing or of the wrong type
// is one that the client does not have.
struct ClientCapabilities {
  std::vector<std::string> position_encodings;  // in the client's order of preference
  bool work_done_progress = false;
  bool show_document = false;
  bool code_action_literals = false;
  bool workspace_configuration = false;
  bool workspace_folders = false;
  bool code_lens = false;
  bool code_lens_refresh = false;
  bool inlay_hint_refresh = false;
  bool register_watched_files = false;
  bool register_configuration = false;
  bool register_document_link = false;
  bool register_folding_range = false;
  bool register_definition = false;
  bool relative_patterns = false;  // of watched files
  bool show_message_request = false;
  bool lens_resolves_command = false;
  std::vector<std::string> hint_resolves;  // members of hints, e.g. "tooltip", "label.location"
  bool pull_diagnostics = false;
  bool publish_diagnostics = false;
  bool diagnostic_versions = false;  // of published ones
  bool diagnostic_related = false;   // shows relatedInformation
  bool diagnostic_refresh = false;
  bool text_document_content = false;
  bool link_tooltips = false;
  bool hover_markdown = false;  // by the first known format in the client's list
  // The client's `experimental.gprof`: it knows this server's own messages; it draws line data
  // itself; it shows what gprof/status says.
  bool gprof_extensions = false;
  bool gprof_decorations = false;
  bool gprof_status = false;
  bool gprof_tests = false;  // it runs what lenses above tests offer
  std::optional<AnyValue> experimental_gprof;
};

// How much of the conversation a client wants to hear about, by $/logTrace.
enum class TraceLevel : std::uint8_t { off, messages, verbose };
template <>
inline constexpr auto wire_names<TraceLevel> =
    enum_names<TraceLevel>({{TraceLevel::off, "off"},
                            {TraceLevel::messages, "messages"},
                            {TraceLevel::verbose, "verbose"}});

struct WorkspaceFolder {
  DocumentUri uri;
  std::string name;

  static void fields(auto& visit, auto& self) {
    visit.uri("uri", self.uri);
    visit.optional("name", self.name);
  }
};

// Some clients nest them below the section's name, some do not.
struct InitializationOptions {
  SettingsLayer settings;
  std::string token;  // empty if there is none
};

struct InitializeParams {
  std::optional<std::int64_t> process_id;
  std::optional<DocumentUri> root_uri;
  std::optional<std::string> root_path;
  std::vector<WorkspaceFolder> workspace_folders;
  ClientCapabilities capabilities;
  InitializationOptions options;
  TraceLevel trace = TraceLevel::off;
  std::string client_name;
  std::string client_version;

  static void fields(auto& visit, auto& self) {
    visit("processId", self.process_id);
    visit("rootUri", self.root_uri);
    visit("rootPath", self.root_path);
    visit.optional("workspaceFolders", self.workspace_folders);
    visit.optional_nested("clientInfo", [&](auto& client) {
      client.optional("name", self.client_name);
      client.optional("version", self.client_version);
    });
    visit.optional("capabilities", self.capabilities);
    visit.lenient("trace", self.trace);
    visit.optional("initializationOptions", self.options);
  }
};

struct SetTraceParams {
  TraceLevel value = TraceLevel::off;

  static void fields(auto& visit, auto& self) { visit("value", self.value); }
};

struct LogTraceParams {
  std::string message;
  std::string verbose;

  static void fields(auto& visit, auto& self) {
    visit("message", self.message);
    visit.optional("verbose", self.verbose);
  }
};

struct ServerCapabilities {
  PositionEncoding position_encoding = PositionEncoding::utf16;
  // The commands of workspace/executeCommand; if empty, the provider is not announced.
  std::vector<std::string> commands;
  bool pull_diagnostics = false;
  // The scheme of virtual documents, for workspace/textDocumentContent; empty if the client asks
  // for none.
  std::string content_scheme;
  // For virtual documents only; announced for all documents to clients without dynamic
  // registration.
  bool document_link = false;
  bool folding_range = false;
  bool definition = false;
  std::vector<std::string> code_action_kinds;  // if empty, the provider is not announced
  std::optional<AnyValue> experimental;

  static void fields(auto& visit, auto& self) {
    visit("positionEncoding", self.position_encoding);
    visit.nested("textDocumentSync", [](auto& sync) {
      sync.constant("openClose", true);
      sync.constant("change", 2);  // clients send the changed ranges
      sync.constant("save", true);
    });
    const auto resolves = [](auto& provider) { provider.constant("resolveProvider", true); };
    visit.nested("codeLensProvider", resolves);
    visit.nested("inlayHintProvider", resolves);
    for (const char* provider : {"hoverProvider", "callHierarchyProvider", "referencesProvider",
                                 "workspaceSymbolProvider"}) {
      visit.constant(provider, true);
    }
    visit.nested("workspace", [&](auto& workspace) {
      workspace.nested("workspaceFolders", [](auto& folders) {
        folders.constant("supported", true);
        folders.constant("changeNotifications", true);
      });
      if (self.content_scheme.empty()) return;
      workspace.nested("textDocumentContent", [&](auto& content) {
        content.constant("schemes", std::vector<std::string>{self.content_scheme});
      });
    });
    if (!self.commands.empty()) {
      visit.nested("executeCommandProvider",
                   [&](auto& provider) { provider("commands", self.commands); });
    }
    if (self.pull_diagnostics) {
      visit.nested("diagnosticProvider", [](auto& provider) {
        provider.constant("identifier", "gprof");
        provider.constant("interFileDependencies", false);
        provider.constant("workspaceDiagnostics", false);
      });
    }
    if (self.document_link) {
      visit.nested("documentLinkProvider",
                   [](auto& provider) { provider.constant("resolveProvider", false); });
    }
    if (!self.code_action_kinds.empty()) {
      visit.nested("codeActionProvider",
                   [&](auto& provider) { provider("codeActionKinds", self.code_action_kinds); });
    }
    visit.optional("foldingRangeProvider", self.folding_range);
    visit.optional("definitionProvider", self.definition);
    visit("experimental", self.experimental);
  }
};

struct InitializeResult {
  ServerCapabilities capabilities;
  std::string server_name;
  std::string server_version;

  static void fields(auto& visit, auto& self) {
    visit("capabilities", self.capabilities);
    visit.nested("serverInfo", [&](auto& server) {
      server("name", self.server_name);
      server("version", self.server_version);
    });
  }
};

struct DidChangeWorkspaceFoldersParams {
  std::vector<WorkspaceFolder> added;
  std::vector<WorkspaceFolder> removed;

  static void fields(auto& visit, auto& self) {
    visit.nested("event", [&](auto& event) {
      event.optional("added", self.added);
      event.optional("removed", self.removed);
    });
  }
};

// The client's first entry that the server knows; utf-16 if there is none.
[[nodiscard]] PositionEncoding choose_encoding(const std::vector<std::string>& offered);

}  // namespace gprof::lsp
