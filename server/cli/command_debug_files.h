// Where the commands that read profiles look for debug files, as the editor does: in the caches of
// the user, and at the servers of DEBUGINFOD_URLS.
//
// What is fetched, and what is not, is told on standard error.
// Ownership: must outlive the analyses that use search(). Thread contract: the main thread's.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "server/loading/debug_file_fetch.h"

namespace gprof::lsp {

class CommandDebugFiles : public FetchAudience {
 public:
  // `command`: whose messages they are.
  explicit CommandDebugFiles(std::string command);

  [[nodiscard]] DebugFileSearch search() { return debug_files_of(servers_, *this, cancelled_); }

  void begin(const std::string& file, std::function<void()> cancel) override;
  void report(std::uint32_t, const std::string&) override {}
  void end() override {}
  void say(std::string text) override;

 private:
  const std::string command_;
  const std::shared_ptr<DebugFileServers> servers_;
  const std::atomic<bool> cancelled_ = false;  // a signal ends the process
};

}  // namespace gprof::lsp
