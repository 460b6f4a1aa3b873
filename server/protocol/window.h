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
  std::optional<std::uint32_t> percentage;  // 0 to 100
};

struct WorkDoneProgressReport {
  std::optional<std::uint32_t> percentage;  // 0 to 100, never less than before
  std::string message;                      // left out when empty
};

struct WorkDoneProgressEnd {
  std::string message;  // left out when empty
};

template <typename Value>
struct ProgressParams {
  std::string token;
  Value value;
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

// client/registerCapability for workspace/didChangeWatchedFiles (glob patterns).
struct RegisterWatchedFilesParams {
  std::string id;
  std::vector<std::string> patterns;
};

// client/registerCapability for workspace/didChangeConfiguration.
struct RegisterConfigurationParams {
  std::string id;
  std::string section;
};

// client/unregisterCapability.
struct UnregisterParams {
  std::string id;
  std::string method;
};

}  // namespace gprof::lsp
