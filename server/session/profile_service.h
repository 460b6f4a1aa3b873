// The part of the server that handles profiles: loads them in the background and runs the jobs that
// answer requests, on the newest loaded state. The answers themselves are up to the features.
//
// Thread contract: every member, including the destructor, is called on the I/O thread, which never
// waits: jobs run on the service's threads. The destructor ends them. Jobs not started by then are
// destroyed, which answers their requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "engine/support/folder_bounds.h"
#include "server/discovery/program_choices.h"
#include "server/features/document_view.h"
#include "server/features/feature_context.h"
#include "server/loading/debug_file_servers.h"
#include "server/loading/profile_store.h"
#include "server/loading/snapshot_cache.h"
#include "server/protocol/documents.h"
#include "server/protocol/reply.h"
#include "server/protocol/service_events.h"
#include "server/sources/line_cache.h"
#include "server/system/job.h"
#include "server/system/memory_reserve.h"
#include "server/system/out_of_memory.h"

namespace gprof::lsp {

// What the service is started with.
struct ServiceContext {
  ClientSettings settings;
  std::vector<std::filesystem::path> workspace_folders;
  ClientCapabilities client;
  PositionEncoding encoding = PositionEncoding::utf16;  // of every Position, in both directions
  Bounds bounds = nullptr;                              // on what is read for this client
};

class ProfileService {
 public:
  virtual ~ProfileService() = default;

  // Call once. `events` must outlive the service.
  virtual void start(ServiceContext context, ServiceEvents& events) = 0;
  // Call only after start(), and only if they differ.
  virtual void update_settings(ClientSettings settings) = 0;
  virtual void update_workspace_folders(std::vector<std::filesystem::path> folders) = 0;
  virtual void watched_files_changed(std::vector<FileEvent> changes) = 0;
  // What the user chose by commands. If called before start(), the previous session's choice is not
  // looked up.
  virtual void update_choices(ProgramChoices choices) = 0;
  // Shows a part of a program: the one with that selection_key() (program_views.h). The caller has
  // checked that there is one.
  virtual void select(const std::string& program, Selection selection) = 0;
  // Loads again whatever changed.
  virtual void reload() = 0;
  // Runs the job on a worker once there is a state to answer from; may come before start().
  // `document` is the one that the request is about. A job that runs out of memory ends; the caller
  // answers its request.
  virtual void run(DocumentView document, Job<FeatureContext&> job) = 0;
  // Calls `done` on some thread once everything that was asked of the service, or had changed on
  // disk, before this call has been done; `looks` as in ProgramLoader::settle().
  virtual void when_idle(unsigned looks, Job<> done) = 0;
  // How many jobs have been run() so far.
  [[nodiscard]] virtual std::uint64_t jobs() const = 0;
};

// State shared by the services of all clients.
struct SharedPrograms {
  std::shared_ptr<SnapshotCache> snapshots;  // null: a private one
  std::shared_ptr<LineCache> lines;          // null: nothing is kept on disk
  // Directory that remembers which program was chosen; none: not remembered.
  std::optional<std::filesystem::path> choices;
  EarlierBuilds builds = {};
  std::shared_ptr<DebugFileServers> debug_files = nullptr;  // null: none are fetched
};

// `worker_threads` answer requests; two more threads load and watch files. With 0, loading and
// answering are synchronous, and only the client watches files.
[[nodiscard]] std::unique_ptr<ProfileService> make_profile_service(std::size_t worker_threads,
                                                                   SharedPrograms shared);

// Answers from the newest state: `answer(context)` runs on a worker and returns a Result or an
// Outcome<Result>. If memory runs out, the answer is that error.
template <typename Result, typename Answer>
// The check does not see that a template moves its parameter.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
void run_on_worker(ProfileService& service, DocumentView document, Reply<Result> reply,
                   Answer answer) {
  service.run(std::move(document), [reply = std::move(reply),
                                    answer = std::move(answer)](FeatureContext& context) mutable {
    if (reply.cancelled()) {
      return reply.fail(ResponseCode::request_cancelled, "The request was cancelled.");
    }
    Outcome<Result> outcome;
    try {
      if constexpr (std::is_same_v<decltype(answer(context)), Outcome<Result>>) {
        outcome = answer(context);
      } else {
        outcome.template emplace<0>(answer(context));
      }
    } catch (const std::bad_alloc&) {
      const MemoryPatience patience;
      outcome = no_memory_to_answer();
    }
    if (auto* error = std::get_if<ResponseError>(&outcome)) {
      return reply.fail(error->code, std::move(error->message));
    }
    reply.succeed(std::move(*std::get_if<Result>(&outcome)));
  });
}

}  // namespace gprof::lsp
