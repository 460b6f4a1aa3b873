// What the user chose by commands, overriding the settings: programs loaded by hand, and which one
// is shown.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/support/input_file.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// The program that takes precedence if several have code from a file, and which of its profiles are
// shown (summed); no profiles: the newest, as by default.
struct ProgramSelection {
  std::filesystem::path executable;
  std::vector<std::filesystem::path> profiles;
  // The time of the program's newest profile that was known at the choice: a newer one is shown
  // instead, unless pinned. None until the first plan with the choice.
  std::optional<FileTime> newest_known = std::nullopt;
  bool pinned = false;

  friend bool operator==(const ProgramSelection&, const ProgramSelection&) = default;
};

struct ProgramChoices {
  std::vector<ProgramSettings> loaded;  // in addition to those in the settings, and before them
  bool cleared = false;                 // nothing is shown, whatever else is set
  std::optional<ProgramSelection> selection;

  friend bool operator==(const ProgramChoices&, const ProgramChoices&) = default;
};

}  // namespace gprof::lsp
