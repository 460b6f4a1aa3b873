// Structures of the server's own notifications and requests to the client.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "server/protocol/basic_types.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// The numbers of the protocol's MessageType.
enum class Severity : std::uint8_t { error = 1, warning = 2, info = 3, log = 4 };
template <>
inline constexpr NumberRange wire_numbers<Severity> = {1, 4};

struct ShowMessageParams {
  Severity severity = Severity::info;
  std::string message;

  static void fields(auto& visit, auto& self) {
    visit("type", self.severity);
    visit("message", self.message);
  }
};

// window/showMessageRequest: a message with choices.
struct ShowMessageRequestParams {
  Severity severity = Severity::info;
  std::string message;
  std::vector<std::string> choices;

  static void fields(auto& visit, auto& self) {
    visit("type", self.severity);
    visit("message", self.message);
    visit.each("actions", self.choices,
               [](auto& action, const std::string& choice) { action.constant("title", choice); });
  }
};

// The user's choice; null if none was made.
struct ShowMessageChoice {
  std::optional<std::string> title;
};

struct LogMessageParams {
  Severity severity = Severity::log;
  std::string message;

  static void fields(auto& visit, auto& self) {
    visit("type", self.severity);
    visit("message", self.message);
  }
};

struct ShowDocumentParams {
  DocumentUri uri;
  bool take_focus = true;
  std::optional<Range> selection;

  static void fields(auto& visit, auto& self) {
    visit.uri("uri", self.uri);
    visit("takeFocus", self.take_focus);
    visit("selection", self.selection);
  }
};

struct WorkDoneProgressCreateParams {
  std::string token;

  static void fields(auto& visit, auto& self) { visit("token", self.token); }
};

struct WorkDoneProgressBegin {
  std::string title;
  bool cancellable = false;
  std::optional<std::uint32_t> percentage;  // 0 to 100

  static void fields(auto& visit, auto& self) {
    visit.constant("kind", "begin");
    visit("title", self.title);
    visit("cancellable", self.cancellable);
    visit("percentage", self.percentage);
  }
};

struct WorkDoneProgressReport {
  std::optional<std::uint32_t> percentage;  // 0 to 100, never less than before
  std::string message;

  static void fields(auto& visit, auto& self) {
    visit.constant("kind", "report");
    visit.optional("message", self.message);
    visit("percentage", self.percentage);
  }
};

struct WorkDoneProgressEnd {
  std::string message;

  static void fields(auto& visit, auto& self) {
    visit.constant("kind", "end");
    visit.optional("message", self.message);
  }
};

struct WorkDoneProgressCancelParams {
  std::string token;  // empty if the token is not this server's

  static void fields(auto& visit, auto& self) { visit.lenient("token", self.token); }
};

template <typename Value>
struct ProgressParams {
  std::string token;
  Value value;

  static void fields(auto& visit, auto& self) {
    visit("token", self.token);
    visit("value", self.value);
  }
};

// workspace/textDocumentContent/refresh.
struct TextDocumentContentRefreshParams {
  DocumentUri uri;

  static void fields(auto& visit, auto& self) { visit.uri("uri", self.uri); }
};

// Asks for one section of the configuration.
struct ConfigurationParams {
  std::string section;

  static void fields(auto& visit, auto& self) {
    visit.each("items", std::array{self.section},
               [](auto& item, const std::string& asked) { item.constant("section", asked); });
  }
};

// The answer: one layer of settings for the one section.
struct ConfigurationResult {
  SettingsLayer settings;
};

// What the client pushes. `settings` is empty if the client expects the server to ask.
struct DidChangeConfigurationParams {
  std::optional<SettingsLayer> settings;
};

// Files to watch. Without a base, `pattern` is an absolute glob pattern; with one, it is relative
// to that directory.
struct WatchedPattern {
  DocumentUri base;  // empty: none
  std::string pattern;

  static void fields(auto& visit, auto& self) {
    if (self.base.empty()) return visit("globPattern", self.pattern);
    visit.nested("globPattern", [&](auto& relative) {
      relative.uri("baseUri", self.base);
      relative("pattern", self.pattern);
    });
  }
  friend bool operator==(const WatchedPattern&, const WatchedPattern&) = default;
};

// The parameters of client/registerCapability for one method.
void describe_registration(auto& visit, const std::string& id, const char* method,
                           const auto& describe_options) {
  visit.each("registrations", std::array{id}, [&](auto& registration, const std::string&) {
    registration("id", id);
    registration.constant("method", method);
    registration.nested("registerOptions", describe_options);
  });
}

// client/registerCapability for workspace/didChangeWatchedFiles.
struct RegisterWatchedFilesParams {
  std::string id;
  std::vector<WatchedPattern> patterns;

  static void fields(auto& visit, auto& self) {
    describe_registration(visit, self.id, "workspace/didChangeWatchedFiles",
                          [&](auto& options) { options("watchers", self.patterns); });
  }
};

// client/registerCapability for workspace/didChangeConfiguration.
struct RegisterConfigurationParams {
  std::string id;
  std::string section;

  static void fields(auto& visit, auto& self) {
    describe_registration(visit, self.id, "workspace/didChangeConfiguration",
                          [&](auto& options) { options("section", self.section); });
  }
};

// client/registerCapability for methods that are about documents of one scheme.
struct RegisterForSchemeParams {
  std::vector<std::string> methods;  // each is also part of its registration's id
  std::string scheme;

  static void fields(auto& visit, auto& self) {
    visit.each("registrations", self.methods, [&](auto& registration, const std::string& method) {
      registration.constant("id", "gprof-lsp/" + method);
      registration.constant("method", method);
      registration.nested("registerOptions", [&](auto& options) {
        options.each(
            "documentSelector", std::array{self.scheme},
            [](auto& filter, const std::string& wanted) { filter.constant("scheme", wanted); });
      });
    });
  }
};

// client/unregisterCapability.
struct UnregisterParams {
  std::string id;
  std::string method;

  static void fields(auto& visit, auto& self) {
    // The protocol's own spelling of the member.
    visit.each("unregisterations", std::array{self.id},
               [&](auto& unregistration, const std::string& known) {
                 unregistration.constant("id", known);
                 unregistration("method", self.method);
               });
  }
};

}  // namespace gprof::lsp
