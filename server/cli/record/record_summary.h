// The last line of `gprof-lsp record`: where the profile is, and how good it is.
//
// Ownership: value types. Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "server/cli/record/record_figures.h"
#include "server/protocol/run_summary.h"

namespace gprof::lsp {

// One process's (or, after exec, one program's) profile.
struct FoundProfile {
  std::filesystem::path path;  // of the gmon file, as shown to the user
  std::uint32_t process = 0;
  std::uint32_t image_number = 0;
  std::string program;  // path of the executable
  std::string build_id;
  std::vector<std::filesystem::path> libraries;  // their gmon files, as shown to the user
  std::vector<std::string> library_names;        // SONAME of each, as in the file's name
  ProfileFigures figures;
  bool recovered = false;
  int killed_by = 0;  // a signal; 0: not killed, or not known
  std::optional<CrashedAt> crash;
};

// What the profiles of a run say together.
struct DescribedFigures {
  // "1,234 calls, 321 samples at 100 Hz, 8 threads, nothing lost", or "321 samples at 100 Hz, 8
  // threads; calls are not counted (built without -pg)".
  std::string figures;
  std::string times;     // "ran 3.9 s, 3.2 s on CPU"; empty if no process recorded it
  std::string headline;  // "3.2 s CPU of 3.9 s"; empty as well
  std::vector<std::string> remarks;
};
// `processes`: how many the figures cover.
[[nodiscard]] DescribedFigures describe_figures(const ProfileFigures& figures,
                                                std::size_t processes);
[[nodiscard]] DescribedFigures describe_figures(const std::vector<FoundProfile>& profiles);

// For a run's profiles, most important first: the first one's file, the figures of all together,
// then the names of the others. `left_out`: remarks on what is not among them. Precondition: not
// empty.
[[nodiscard]] std::string describe_profiles(const std::vector<FoundProfile>& profiles,
                                            const std::vector<std::string>& left_out = {});

}  // namespace gprof::lsp
