// Shows programs while they run: puts the counters of a running process in the place of the profile
// that it will write.
//
// Whose counters a file holds, the file says: by the build-id or the path of the executable. Files
// that are kept for the process's own user (without GPROF_LIVE) are left alone. When a process was
// killed, what it had counted stays, and it is said how to make a profile of it.
// Thread contract: one thread at a time; reads the file system.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "server/programs/directory_listings.h"
#include "server/programs/file_catalog.h"
#include "server/programs/live_counts.h"
#include "server/programs/program_plan.h"

namespace gprof::lsp {

// Where programs count that write such profiles.
[[nodiscard]] std::set<std::filesystem::path> live_files_beside(
    const std::vector<std::filesystem::path>& profiles, DirectoryListings& listings);

class LiveProfiles {
 public:
  LiveProfiles(LiveCounts& counts, FileCatalog& catalog) : counts_(counts), catalog_(catalog) {}

  // Each file once.
  void look(const std::set<std::filesystem::path>& files);

  // The binaries that running processes were started from, each with the profile that it will
  // write.
  struct Running {
    std::filesystem::path executable;
    std::filesystem::path profile;
  };
  [[nodiscard]] std::vector<Running> running_of(const std::set<std::filesystem::path>& binaries);

  struct Rules {
    std::vector<std::string> patterns;  // of the program's profiles, absolute
    // Nobody has said which profiles are shown: those of a running process come before others.
    bool any = false;
  };
  void apply(const Rules& rules, PlannedProgram& program);

  // Something may be another the next time, though no file changes.
  [[nodiscard]] bool look_again() const { return look_again_; }
  [[nodiscard]] const Warnings& warnings() const { return warnings_; }

 private:
  struct File {
    std::filesystem::path path;
    LiveLook look;
    std::filesystem::path becomes;     // the profile
    std::filesystem::path executable;  // as the process knows it; empty where it is not known
    std::vector<std::byte> build_id;
  };

  [[nodiscard]] bool is_of(const File& file, const std::filesystem::path& executable);
  void attach(const File& file, PlannedProgram& program);
  [[nodiscard]] bool may_be_shown(const File& file, const Rules& rules,
                                  const PlannedProgram& program);
  void warn(const File& file, ErrorCode code, std::string message);

  LiveCounts& counts_;
  FileCatalog& catalog_;
  std::vector<File> files_;  // processes before their children, then what began last
  Warnings warnings_;
  bool look_again_ = false;
};

// Libraries of the process that count their calls and were called.
[[nodiscard]] std::vector<PlannedProgram> live_libraries_of(const PlannedProgram& program);

}  // namespace gprof::lsp
