// Reports the results of loads to the client, each problem once: one that persists is not repeated,
// one that went away and returns is news. A client that shows gprof/status has warnings there, and
// gets messages of failures alone.
//
// Ownership: borrows the events. Thread contract: any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "server/loading/profile_store.h"
#include "server/protocol/service_events.h"

namespace gprof::lsp {

class LoadNotifier {
 public:
  // `shows_status`: the client shows gprof/status.
  LoadNotifier(ServiceEvents& events, bool shows_status)
      : events_(events), shows_status_(shows_status) {}

  // `asked`: the user asked, so repeat what was reported before.
  void tell(const LoadReport& report, bool asked);
  // Warnings found only on first use of a file (a missing .dwo). Returns whether the status has new
  // ones.
  bool tell_late_warnings(const std::vector<LoadedProgram>& programs);
  // Those, to the status of the load that they came after.
  void add_late_warnings(ProfileStatus& status);

 private:
  void warn(const std::vector<std::string>& texts);

  ServiceEvents& events_;
  const bool shows_status_;
  std::mutex mutex_;  // guards what follows
  std::set<std::string> told_;
  std::size_t late_ = 0;  // number of warnings at the last check, including late ones
  std::vector<std::string> late_warnings_;
};

// gprof/status after a load: of the first program.
[[nodiscard]] ProfileStatus status_of(const ProfileStore::State& state, const LoadReport& report);

}  // namespace gprof::lsp
