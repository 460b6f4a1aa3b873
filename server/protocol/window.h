// Structures of what the server tells the client unasked, and of what it asks the client.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// The numbers of the protocol's MessageType.
enum class Severity : std::uint8_t { error = 1, warning = 2, info = 3, log = 4 };

struct ShowMessageParams {
  Severity severity = Severity::info;
  std::string message;
};

// window/showMessageRequest: a message with choices.
struct ShowMessageRequestParams {
  Severity severity = Severity::info;
  std::string message;
  std::vector<std::string> choices;
};

// The choice that was taken.
struct ShowMessageChoice {
  std::optional<std::string> title;
};

struct LogMessageParams {
  Severity severity = Severity::log;
  std::string message;
};

struct ShowDocumentParams {
  DocumentUri uri;
  bool take_focus = true;
  std::optional<Range> selection;
};

struct WorkDoneProgressCreateParams {
  std::string token;
};

struct WorkDoneProgressBegin {
  std::string title;
  bool cancellable = false;
  std::optional<std::uint32_t> percentage;  // 0 to 100
};

struct WorkDoneProgressReport {
  std::optional<std::uint32_t> percentage;  // 0 to 100, never less than before
  std::string message;                      // left out when empty
};

struct WorkDoneProgressEnd {
  std::string message;  // left out when empty
};

struct WorkDoneProgressCancelParams {
  std::string token;  // empty for tokens that are none of this server's
};

template <typename Value>
struct ProgressParams {
  std::string token;
  Value value;
};

// workspace/textDocumentContent/refresh.
struct TextDocumentContentRefreshParams {
  DocumentUri uri;
};

// Asks for one section of the configuration.
struct ConfigurationParams {
  std::string section;
};

// The answer: one layer of settings for the one section.
struct ConfigurationResult {
  SettingsLayer settings;
};

// What the client pushes. `settings` is empty where the client expects the server to ask.
struct DidChangeConfigurationParams {
  std::optional<SettingsLayer> settings;
};

// Files to watch. Without a base, `pattern` is an absolute glob pattern; with one, it is relative
// to that directory.
struct WatchedPattern {
  DocumentUri base;  // empty: none
  std::string pattern;

  friend bool operator==(const WatchedPattern&, const WatchedPattern&) = default;
};

// client/registerCapability for workspace/didChangeWatchedFiles.
struct RegisterWatchedFilesParams {
  std::string id;
  std::vector<WatchedPattern> patterns;
};

// client/registerCapability for workspace/didChangeConfiguration.
struct RegisterConfigurationParams {
  std::string id;
  std::string section;
};

// client/registerCapability for methods that are about documents of one scheme.
struct RegisterForSchemeParams {
  std::vector<std::string> methods;  // each is its registration's id as well
  std::string scheme;
};

// client/unregisterCapability.
struct UnregisterParams {
  std::string id;
  std::string method;
};

}  // namespace gprof::lsp
