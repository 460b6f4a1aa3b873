// Remembers which program was chosen in a workspace, and which programs were loaded by hand,
// between runs of the server: one small file per set of workspace folders, in the user's state
// directory.
//
// Thread contract: any thread; servers may share a directory, since files are replaced as a whole.
// Errors: none; an unreadable file counts as no choice, an unwritable choice is forgotten. Bounded
// in files and in the size of each; the least recently written go first.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "server/discovery/program_choices.h"

namespace gprof::lsp {

struct RememberedChoice {
  ProgramSelection selection;
  // Loaded by hand, the newest first: executables with the patterns of their profiles.
  std::vector<ProgramSettings> loaded;

  friend bool operator==(const RememberedChoice&, const RememberedChoice&) = default;
};

// What it means beside the programs of the settings, which come before what is remembered: a choice
// of a program that they do not name is none, and of one that they name only pinned profiles count.
[[nodiscard]] ProgramChoices choices_of(const RememberedChoice& remembered,
                                        const std::vector<ProgramSettings>& settings,
                                        const std::vector<std::filesystem::path>& folders);

// $XDG_STATE_HOME/gprof-lsp/choices, else $HOME/.local/state/gprof-lsp/choices; none if neither is
// set. Reads the environment.
[[nodiscard]] std::optional<std::filesystem::path> choices_directory();

class ChoiceMemory {
 public:
  explicit ChoiceMemory(std::optional<std::filesystem::path> directory)
      : directory_(std::move(directory)) {}

  [[nodiscard]] std::optional<RememberedChoice> recall(
      const std::vector<std::filesystem::path>& workspace_folders) const;
  void remember(const std::vector<std::filesystem::path>& workspace_folders,
                const RememberedChoice& choice) const;
  void forget(const std::vector<std::filesystem::path>& workspace_folders) const;

 private:
  void prune(const std::filesystem::path& newest) const;

  std::optional<std::filesystem::path> directory_;
};

// Writes and parses the text of such a file.
[[nodiscard]] std::string write_choice(const std::vector<std::filesystem::path>& workspace_folders,
                                       const RememberedChoice& choice);
[[nodiscard]] std::optional<RememberedChoice> read_choice(
    std::string_view text, const std::vector<std::filesystem::path>& workspace_folders);

}  // namespace gprof::lsp
