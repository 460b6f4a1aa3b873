// Whose profiles a recording keeps, of all the processes that ran: `--children`.
//
// Units: times are nanoseconds. Ownership: value types. Thread contract: functions that choose are
// pure; the others change files in the directories of the profiles, and one thread uses them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "server/cli/record/record_options.h"
#include "server/cli/record/record_summary.h"

namespace gprof::lsp {

struct ChosenProfiles {
  std::vector<FoundProfile> kept;  // the most important one first
  std::vector<FoundProfile> left_out;
};

// `profiles`: of the process that was started first, as find_profiles() orders them. Only where
// there are none, none are kept.
[[nodiscard]] ChosenProfiles choose_profiles(std::vector<FoundProfile> profiles, Children which,
                                             std::uint32_t process);

// "left out: make 0.31 s, sh 0.02 s (--children=all keeps them)"; empty if nothing was.
[[nodiscard]] std::string describe_left_out(const std::vector<FoundProfile>& left_out);

// The rest of the CPU time of all processes, in words, if it is too much to be that of starting and
// ending them; else empty.
[[nodiscard]] std::string describe_unseen(std::uint64_t cpu_time, const ChosenProfiles& profiles);

// Removes the profile's files.
void remove_profile(const FoundProfile& profile);

// Names the most important profile gmon.out if it has a process number and nothing that was written
// since `started` (realtime) has that name. Stays as it is if that is impossible.
void give_usual_name(FoundProfile& profile, std::uint64_t started);

}  // namespace gprof::lsp
