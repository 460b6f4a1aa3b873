// A shown program or shared library, replaced as a whole by every load.
//
// Ownership: shares everything. Thread contract: immutable.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "engine/comparison/comparison.h"
#include "server/discovery/profile_reason.h"
#include "server/sources/program_view.h"
#include "server/sources/source_paths.h"

namespace gprof::lsp {

class BuildTexts;

struct LoadedProgram {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const SourcePaths> paths;
  // What is known about the compiled texts. Lives as long as this build of the program is shown,
  // whatever its profiles.
  std::shared_ptr<BuildTexts> texts;
  // Display name: the file's name, with as much of its directory as makes it unique.
  std::string name;
  // For a shared library: the executable it was profiled in; empty for executables.
  std::filesystem::path part_of;
  // Profiles that can be shown, newest first, including those that are.
  std::vector<std::filesystem::path> candidates;
  ProfileReason reason = ProfileReason::newest;  // why those are shown that are
  // The executable is not the one that wrote the profile; the last good state is shown.
  bool rebuilt_since = false;
  // The program is running; the counts are a snapshot.
  bool live = false;
  // Set if the snapshot is not all of what was loaded, by its first metric of cost and no derived
  // one; null: it is.
  std::shared_ptr<const ProgramView> view;
  // What it is compared with, and how its functions compare; both null without a base. The base is
  // never shown as a program of its own.
  std::shared_ptr<const LoadedProgram> base;
  std::shared_ptr<const Comparison> comparison;
  // If it is compared, or a base: its runs one by one; empty if they were too large to be kept.
  std::vector<std::shared_ptr<const Snapshot>> runs;
};

}  // namespace gprof::lsp
