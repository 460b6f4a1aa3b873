// The last line of `gprof-lsp record`: where the profile is, and how good it is.
//
// Units: times are nanoseconds. Ownership: value types. Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gprof::lsp {

// What a sidecar says of the quality of its profile.
struct ProfileFigures {
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;   // by weight
  std::uint64_t cpu_time = 0;  // while it was sampled
  std::uint32_t requested_rate = 0;
  bool has_timer = true;  // the system gave a clock to sample by
  std::size_t threads = 0;
  std::uint64_t lost_calls = 0;
  std::uint64_t lost_samples = 0;
  std::uint64_t lost_stacks = 0;
  bool incomplete = false;  // some counters were not in the live file when the process died
};
// Counts add up, saturating; rates do not: the first one that is not 0 stays.
void add_figures(ProfileFigures& total, const ProfileFigures& other);

// One process's (or, after exec, one program's) profile.
struct FoundProfile {
  std::filesystem::path path;  // of the gmon file, as it is to be shown
  std::uint32_t process = 0;
  std::uint32_t image_number = 0;
  std::string program;  // path of the executable
  std::string build_id;
  std::vector<std::filesystem::path> libraries;  // their gmon files, likewise
  std::vector<std::string> library_names;        // SONAME of each, as it ends the file's name
  ProfileFigures figures;
  bool recovered = false;
  int killed_by = 0;  // a signal; 0: not killed, or not known
};

// "1,234 calls, 321 samples at 99.6 of 100 Hz, 8 threads, nothing lost".
[[nodiscard]] std::string describe_figures(const ProfileFigures& figures);

// Of a run's profiles, the most important one first: its file with its figures, then the names
// of the others. Precondition: not empty.
[[nodiscard]] std::string describe_profiles(const std::vector<FoundProfile>& profiles);

// "SIGKILL".
[[nodiscard]] std::string signal_name(int signal);

}  // namespace gprof::lsp
