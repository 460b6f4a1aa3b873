// Shows programs while they run: the counters of a running process stand in for the profile that it
// will write.
//
// The file says whose counters it holds: by the build-id or the path of the executable. Private
// files (without GPROF_LIVE) are left alone. If a process was killed, its counts stay, and a
// message tells how to make a profile of them.
// Thread contract: one thread at a time; reads the file system.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "server/discovery/directory_listings.h"
#include "server/discovery/file_catalog.h"
#include "server/discovery/live_counts.h"
#include "server/discovery/program_plan.h"

namespace gprof::lsp {

// Where programs that write such profiles keep their live files.
[[nodiscard]] std::set<std::filesystem::path> live_files_beside(
    const std::vector<std::filesystem::path>& profiles, DirectoryListings& listings);

class LiveProfiles {
 public:
  LiveProfiles(LiveCounts& counts, FileCatalog& catalog) : counts_(counts), catalog_(catalog) {}

  // Looks at each file once.
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
    // No profiles were requested by name: those of a running process come first.
    bool any = false;
  };
  void apply(const Rules& rules, PlannedProgram& program);

  // The result may change although no file does.
  [[nodiscard]] bool look_again() const { return look_again_; }
  [[nodiscard]] const Warnings& warnings() const { return warnings_; }

 private:
  struct File {
    std::filesystem::path path;
    LiveLook look;
    std::filesystem::path becomes;     // the profile
    std::filesystem::path executable;  // as the process knows it; empty if not known
    std::vector<std::byte> build_id;
  };

  [[nodiscard]] bool is_of(const File& file, const std::filesystem::path& executable);
  void attach(const File& file, PlannedProgram& program);
  [[nodiscard]] bool may_be_shown(const File& file, const Rules& rules,
                                  const PlannedProgram& program);
  void warn(const File& file, ErrorCode code, std::string message);

  LiveCounts& counts_;
  FileCatalog& catalog_;
  std::vector<File> files_;  // parents before their children, then the newest first
  Warnings warnings_;
  bool look_again_ = false;
};

// The process's libraries that count their calls and were called.
[[nodiscard]] std::vector<PlannedProgram> live_libraries_of(const PlannedProgram& program);

}  // namespace gprof::lsp
