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

// What this server makes use of. A capability that is missing or of a wrong type is one that the
// client does not have.
struct ClientCapabilities {
  std::vector<std::string> position_encodings;  // in the client's order of preference
  bool work_done_progress = false;
  bool show_document = false;
  bool workspace_configuration = false;
  bool workspace_folders = false;
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
  bool diagnostic_refresh = false;
  bool text_document_content = false;
  bool link_tooltips = false;
  bool hover_markdown = false;  // the first format of the client's list that is known
  // The client's `experimental.gprof`: it knows this server's own messages; it draws line data
  // itself.
  bool gprof_extensions = false;
  bool gprof_decorations = false;
  std::optional<AnyValue> experimental_gprof;
};

// How much of the conversation a client wants to hear about, by $/logTrace.
enum class TraceLevel : std::uint8_t { off, messages, verbose };

struct WorkspaceFolder {
  DocumentUri uri;
  std::string name;
};

struct InitializeParams {
  std::optional<std::int64_t> process_id;
  std::optional<DocumentUri> root_uri;
  std::optional<std::string> root_path;
  std::vector<WorkspaceFolder> workspace_folders;
  ClientCapabilities capabilities;
  SettingsLayer settings;  // from initializationOptions
  std::string token;       // from there as well; empty where there is none
  TraceLevel trace = TraceLevel::off;
  std::string client_name;
  std::string client_version;
};

struct SetTraceParams {
  TraceLevel value = TraceLevel::off;
};

struct LogTraceParams {
  std::string message;
  std::string verbose;  // left out when empty
};

struct ServerCapabilities {
  PositionEncoding position_encoding = PositionEncoding::utf16;
  // Commands that workspace/executeCommand knows; none: the provider is not announced.
  std::vector<std::string> commands;
  bool pull_diagnostics = false;
  // The scheme of the virtual documents that workspace/textDocumentContent knows; empty: the client
  // asks for none.
  std::string content_scheme;
  // What is for virtual documents only, and announced for all documents to clients that take no
  // later registration.
  bool document_link = false;
  bool folding_range = false;
  bool definition = false;
  std::optional<AnyValue> experimental;
};

struct InitializeResult {
  ServerCapabilities capabilities;
  std::string server_name;
  std::string server_version;
};

struct DidChangeWorkspaceFoldersParams {
  std::vector<WorkspaceFolder> added;
  std::vector<WorkspaceFolder> removed;
};

// The protocol's name, e.g. "utf-16".
[[nodiscard]] std::string_view encoding_name(PositionEncoding encoding);
// The client's first entry that the server knows; utf-16 where there is none.
[[nodiscard]] PositionEncoding choose_encoding(const std::vector<std::string>& offered);

}  // namespace gprof::lsp
