// Fetches the debug files of one load, and tells the user of it: each as a progress of its own,
// which can be cancelled without the load.
//
// Once a fetch was cancelled, nothing more is fetched for this load.
// Ownership: shares the servers; `audience` must outlive the load. Thread contract: as in
// DebugFileSource; cancelling, from any thread. Errors: said to the audience.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "engine/object/debug_file.h"
#include "server/loading/debug_file_servers.h"
#include "server/protocol/service_events.h"

namespace gprof::lsp {

// Who is told of fetches. Called by the thread that loads.
class FetchAudience {
 public:
  FetchAudience() = default;
  FetchAudience(const FetchAudience&) = delete;
  FetchAudience& operator=(const FetchAudience&) = delete;
  virtual ~FetchAudience() = default;

  // `cancel` may be called until end(), by any thread.
  virtual void begin(const std::string& file, std::function<void()> cancel) = 0;
  virtual void report(std::uint32_t percent, const std::string& text) = 0;
  virtual void end() = 0;
  // What was not fetched, and why.
  virtual void say(std::string text) = 0;
};

// An editor.
class EditorFetchAudience : public FetchAudience {
 public:
  explicit EditorFetchAudience(ServiceEvents& events) : events_(events) {}

  void begin(const std::string& file, std::function<void()> cancel) override;
  void report(std::uint32_t percent, const std::string& text) override;
  void end() override;
  void say(std::string text) override;

 private:
  ServiceEvents& events_;
  ProgressId id_ = 0;
};

class DebugFileFetch : public DebugFileSource {
 public:
  // `cancelled`: the whole load.
  DebugFileFetch(std::shared_ptr<DebugFileServers> servers, FetchAudience& audience,
                 const std::atomic<bool>& cancelled)
      : servers_(std::move(servers)), audience_(audience), cancelled_(cancelled) {}

  std::optional<std::filesystem::path> fetch(const std::string& build_id_hex,
                                             const std::string& path) override;
  [[nodiscard]] bool gave_up() const override { return gave_up_; }

 private:
  const std::shared_ptr<DebugFileServers> servers_;
  FetchAudience& audience_;
  const std::atomic<bool>& cancelled_;
  const std::shared_ptr<std::atomic<bool>> stopped_ = std::make_shared<std::atomic<bool>>(false);
  bool gave_up_ = false;
};

// Where a load looks for debug files. Null servers: where they are by default.
[[nodiscard]] DebugFileSearch debug_files_of(const std::shared_ptr<DebugFileServers>& servers,
                                             FetchAudience& audience,
                                             const std::atomic<bool>& cancelled);

}  // namespace gprof::lsp
