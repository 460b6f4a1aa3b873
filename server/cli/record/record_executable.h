// Keeps the executables of recorded programs, so that their profiles can be compared with after the
// programs were rebuilt.
//
// Thread contract: one thread. Errors: why the copy cannot be made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"
#include "server/cli/record/record_summary.h"
#include "server/loading/kept_executables.h"

namespace gprof::lsp {

class ExecutableKeeper {
 public:
  // `directory`: where copies are kept.
  explicit ExecutableKeeper(const std::filesystem::path& directory) : kept_(directory) {}

  // Before each run: holds the program's file, which a linker may replace while it runs.
  void hold(const std::string& program);
  // After it: keeps the executable that has written the profile, the program or one that it ran.
  [[nodiscard]] Expected<void> keep(const FoundProfile& profile);

 private:
  [[nodiscard]] std::optional<std::filesystem::path> executable_of(
      const FoundProfile& profile) const;

  KeptExecutables kept_;
  std::optional<InputFile> held_;
  std::filesystem::path held_path_;  // canonical
  FileTime held_at_ = 0;
};

}  // namespace gprof::lsp
