// A program, or a shared library, as it is shown: replaced whole by every load.
//
// Ownership: shares everything. Thread contract: immutable.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "engine/comparison/comparison.h"
#include "server/programs/source_paths.h"

namespace gprof::lsp {

class BuildTexts;

struct LoadedProgram {
  std::shared_ptr<const Snapshot> snapshot;
  std::shared_ptr<const SourcePaths> paths;
  // What is known of the texts that were compiled. Lives as long as this build of the program is
  // shown, whatever profiles come and go.
  std::shared_ptr<BuildTexts> texts;
  // For people: the file's name, with as much of its directory as tells it from the others.
  std::string name;
  // Of a shared library: the executable that it was profiled in; empty for executables.
  std::filesystem::path part_of;
  // Profiles that could be shown instead, newest first; those that are shown are among them.
  std::vector<std::filesystem::path> candidates;
  // The executable is another one than the profile was written by; the last good state is shown.
  bool rebuilt_since = false;
  // The program is running: the counts are those of a moment ago.
  bool live = false;
  // What it is compared with, and how its functions compare; both null where there is no base. The
  // base is never shown as a program of its own.
  std::shared_ptr<const LoadedProgram> base;
  std::shared_ptr<const Comparison> comparison;
};

}  // namespace gprof::lsp
