// A program that is run for a client: not by a shell, with nothing to read, bounded in time, and of
// what it writes the end is kept.
//
// It is ended, with what it has started, when it is cancelled, when its time is up, and with this
// process. Thread contract: any thread, which waits for the end. Errors: unreadable where it cannot
// be started.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/units.h"

namespace gprof::lsp {

struct ChildCommand {
  std::filesystem::path program;   // absolute
  std::vector<std::string> words;  // the first is the program's name
  std::filesystem::path folder;    // where it runs
  Seconds longest = 60;
  std::size_t kept_bytes = 4096;  // of each of its outputs
};

struct ChildEnd {
  std::optional<int> status;  // none if a signal ended it
  int signal = 0;
  bool out_of_time = false;
  bool cancelled = false;
  std::string output;  // the end of it
  std::string error;
};

[[nodiscard]] Expected<ChildEnd> run_child(const ChildCommand& command,
                                           const std::atomic<bool>& cancelled);

}  // namespace gprof::lsp
