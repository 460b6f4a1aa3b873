// What the language server needs of the part that knows profiles, and what that part may ask of the
// language server. Neither side sees JSON.
//
// Requests arrive on the I/O thread, which must never wait: an implementation moves the Reply to a
// thread of its own and answers from there. A Reply may be answered on any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/document.h"
#include "server/protocol/documents.h"
#include "server/protocol/features.h"
#include "server/protocol/lifecycle.h"
#include "server/protocol/settings.h"
#include "server/protocol/window.h"
#include "server/reply.h"

namespace gprof::lsp {

// A document that a request is about.
struct DocumentView {
  DocumentUri uri;
  std::filesystem::path path;  // empty where the URI names no file
  // As of the request; null where the document is not open in the client.
  std::shared_ptr<const Document> document;
};

using ProgressId = std::uint64_t;

// What a service may tell the client. Outlives the service's threads: the service is destroyed (and
// joins them) first.
//
// Thread contract: any thread; each call is passed to the I/O thread, in order, and returns at
// once.
class ServiceEvents {
 public:
  virtual ~ServiceEvents() = default;

  // Without effect where the client shows no progress. The id is never reused.
  virtual ProgressId begin_progress(std::string title) = 0;
  virtual void report_progress(ProgressId id, std::uint32_t percent, std::string message) = 0;
  virtual void end_progress(ProgressId id, std::string message) = 0;

  // For a person: `severity` error, warning or info.
  virtual void show_message(Severity severity, std::string text) = 0;
  // For the client's log and the --log file, as far as the log level lets through.
  virtual void log(LogLevel level, std::string text) = 0;
  // Lenses and hints are no longer true: ask again. Several calls in a row become one.
  virtual void refresh() = 0;
  // Opens a document in the editor, where the client can; nothing happens elsewhere.
  virtual void show_document(DocumentUri uri, std::optional<Range> selection) = 0;
  // The client is to tell of changes to files that match (absolute glob patterns); each call
  // replaces the patterns before. Without effect where the client watches no files: then
  // watched_files_changed is never called.
  virtual void watch_files(std::vector<std::string> patterns) = 0;
};

// What the service knows from the start.
struct ServiceContext {
  ClientSettings settings;
  std::vector<std::filesystem::path> workspace_folders;
  ClientCapabilities client;
  PositionEncoding encoding = PositionEncoding::utf16;  // of every Position that goes in or out
};

// Thread contract: every member, the destructor too, is called on the I/O thread. The destructor
// ends the service's threads.
//
// Feature requests may come before start(): they wait for the first load, or for their end.
class ProfileService {
 public:
  virtual ~ProfileService() = default;

  // Names that execute_command knows. Asked before start().
  [[nodiscard]] virtual std::vector<std::string> commands() const = 0;
  // Once. `events` outlives the service.
  virtual void start(ServiceContext context, ServiceEvents& events) = 0;
  // Only after start(), and only when they differ.
  virtual void update_settings(ClientSettings settings) = 0;
  virtual void update_workspace_folders(std::vector<std::filesystem::path> folders) = 0;
  virtual void watched_files_changed(std::vector<FileEvent> changes) = 0;

  virtual void code_lens(DocumentView document, Reply<std::vector<CodeLens>> reply) = 0;
  virtual void inlay_hint(DocumentView document, Range range,
                          Reply<std::vector<InlayHint>> reply) = 0;
  virtual void hover(DocumentView document, Position position,
                     Reply<std::optional<Hover>> reply) = 0;
  virtual void prepare_call_hierarchy(DocumentView document, Position position,
                                      Reply<std::vector<CallHierarchyItem>> reply) = 0;
  // `document` is the one that the item lies in.
  virtual void incoming_calls(DocumentView document, CallHierarchyItem item,
                              Reply<std::vector<CallHierarchyIncomingCall>> reply) = 0;
  virtual void outgoing_calls(DocumentView document, CallHierarchyItem item,
                              Reply<std::vector<CallHierarchyOutgoingCall>> reply) = 0;
  virtual void workspace_symbol(std::string query, Reply<std::vector<WorkspaceSymbol>> reply) = 0;
  // Only names out of commands().
  virtual void execute_command(std::string name, std::vector<AnyValue> arguments,
                               Reply<AnyValue> reply) = 0;
};

}  // namespace gprof::lsp
