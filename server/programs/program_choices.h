// What the user chose by commands, above the settings: programs that were loaded by hand, and which
// one is shown.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "server/protocol/settings.h"

namespace gprof::lsp {

// The program that comes first where several have code of a file, and which of its profiles are
// shown (summed); no profiles: the newest, as without a choice.
struct ProgramSelection {
  std::filesystem::path executable;
  std::vector<std::filesystem::path> profiles;

  friend bool operator==(const ProgramSelection&, const ProgramSelection&) = default;
};

struct ProgramChoices {
  std::vector<ProgramSettings> loaded;  // beside those of the settings, before them
  bool cleared = false;                 // nothing is shown, whatever else is said
  std::optional<ProgramSelection> selection;

  friend bool operator==(const ProgramChoices&, const ProgramChoices&) = default;
};

}  // namespace gprof::lsp
