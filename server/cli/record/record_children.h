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
#include "server/cli/record/record_process.h"
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

// CPU time that is in no profile.
struct UnseenTime {
  std::uint64_t of_others = 0;    // of programs without a profile
  std::uint64_t not_sampled = 0;  // of processes that have one
};
// `end`: of the process that was started; `further`: of other processes that left a profile, in
// all.
[[nodiscard]] UnseenTime unseen_time(const ProcessEnd& end, std::uint64_t further,
                                     const ChosenProfiles& profiles);
// In words, if it is too much to be that of starting and ending processes; else empty. `problem`:
// what the collector reported in the process that was started.
[[nodiscard]] std::vector<std::string> describe_unseen(const UnseenTime& time,
                                                       std::uint64_t cpu_time,
                                                       const ChosenProfiles& profiles,
                                                       const std::string& problem);

// CPU time of those processes that is in no sample, in words, with the reason, if it is much; else
// empty.
[[nodiscard]] std::string describe_unsampled(std::uint64_t cpu_time,
                                             const ChosenProfiles& profiles);

// Removes the profile's files.
void remove_profile(const FoundProfile& profile);

// Names the most important profile gmon.out if it has a process number and nothing that was written
// since `started` (realtime) has that name. Stays as it is if that is impossible.
void give_usual_name(FoundProfile& profile, std::uint64_t started);

}  // namespace gprof::lsp
