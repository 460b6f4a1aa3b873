// Adds up the profiles of several runs (manual, section "-s"): histograms must be equal, disjoint
// or on a common grid (histogram_set.h), with one unit; counts add, saturating.
//
// Arcs with the same (from, self) pair become one, and so do block counts at one address, in the
// position of the first: a sum is no longer than the union of what was added. Rate, unit and format
// are the first profile's; the format is a BSD one if any profile's is. The build-id prefix is kept
// if all profiles have the same.
//
// Thread contract: one thread. Errors: mismatch.
#pragma once

#include <cstddef>
#include <string>

#include "engine/gmon/count_list.h"
#include "engine/gmon/encoded_profile.h"
#include "engine/gmon/histogram_set.h"
#include "engine/gmon/raw_profile.h"
#include "engine/support/expected.h"

namespace gprof {

// Adds `other` to `total`, which is unchanged on errors. `other_path` is for messages. Takes time
// proportional to both; to add up many profiles, use a ProfileSum.
Expected<void> add_profile(RawProfile& total, const RawProfile& other,
                           const std::string& other_path);

// The empty profile is the neutral element: add_profile(empty, p) gives p.

// The sum of many profiles; adding one takes time proportional to it alone.
class ProfileSum {
 public:
  // On an error the sum is unchanged. `path` is for messages.
  Expected<void> add(const RawProfile& profile, const std::string& path);
  Expected<void> add(const EncodedProfile& stored, const std::string& path);
  // Leaves the sum empty.
  [[nodiscard]] RawProfile take();

 private:
  [[nodiscard]] Expected<void> check(const RawProfile& profile, const std::string& path) const;
  [[nodiscard]] Expected<void> check_range(AddressRange range, std::uint64_t bin_count,
                                           const std::string& path) const;
  void add_header(const RawProfile& profile);
  void add_decoded(const RawProfile& profile);

  RawProfile total_;  // without its counts
  HistogramSet histograms_;
  CountList<RawArc> arcs_;
  CountList<BlockCount> blocks_;
  bool empty_ = true;
};

}  // namespace gprof
