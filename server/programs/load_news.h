// Tells the client what a load had to say, each thing once: what was told and still holds is not
// told again, what went away may come back as news.
//
// Ownership: borrows the events. Thread contract: any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "server/programs/profile_store.h"
#include "server/service_events.h"

namespace gprof::lsp {

class LoadNews {
 public:
  explicit LoadNews(ServiceEvents& events) : events_(events) {}

  // `asked`: the user wants to know, though it was told before.
  void tell(const LoadReport& report, bool asked);
  // What was found only when a file was first looked at (a missing .dwo).
  void tell_late_warnings(const std::vector<LoadedProgram>& programs);

 private:
  void warn(const std::vector<std::string>& texts);

  ServiceEvents& events_;
  std::mutex mutex_;  // guards what follows
  std::set<std::string> told_;
  std::size_t late_ = 0;  // how many warnings were looked at last, late ones among them
};

// gprof/status after a load: of the program that is shown first.
[[nodiscard]] ProfileStatus status_of(const ProfileStore::State& state, const LoadReport& report);

}  // namespace gprof::lsp
