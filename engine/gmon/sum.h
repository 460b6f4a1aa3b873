// Adding up the profiles of several runs (manual, section "-s"): histograms must be equal, disjoint
// or on one grid (histogram_set.h), of one unit; counts add, saturating instead of wrapping.
//
// Arcs of one (from, self) pair become one, and block counts of one address, where the first of
// them stood: a sum is no longer than the union of what was added. Rate, unit and format are the
// first profile's; the format is a BSD one where any profile's is. The build-id prefix stays where
// all profiles carry the same.
//
// Thread contract: one thread. Errors: mismatch.
#pragma once

#include <cstddef>
#include <string>

#include "engine/gmon/count_list.h"
#include "engine/gmon/histogram_set.h"
#include "engine/gmon/raw_profile.h"
#include "engine/gmon/stored_profile.h"
#include "engine/support/expected.h"

namespace gprof {

// Adds `other` to `total`. On an error `total` is unchanged. `other_path` is for messages.
// Takes time in proportion to both; to add up many profiles, use a ProfileSum.
Expected<void> add_profile(RawProfile& total, const RawProfile& other,
                           const std::string& other_path);

// The empty profile is the neutral element: add_profile(empty, p) gives p.

// The sum of many profiles; each costs time in proportion to itself alone.
class ProfileSum {
 public:
  // On an error the sum is unchanged. `path` is for messages.
  Expected<void> add(const RawProfile& profile, const std::string& path);
  Expected<void> add(const StoredProfile& stored, const std::string& path);
  // The sum is empty afterwards.
  [[nodiscard]] RawProfile take();

 private:
  [[nodiscard]] Expected<void> check(const RawProfile& profile, const std::string& path) const;
  [[nodiscard]] Expected<void> check_range(AddressRange range, std::uint64_t bin_count,
                                           const std::string& path) const;
  void add_header(const RawProfile& profile);
  void add_decoded(const RawProfile& profile);

  RawProfile total_;  // but for its counts
  HistogramSet histograms_;
  CountList<RawArc> arcs_;
  CountList<BlockCount> blocks_;
  bool empty_ = true;
};

}  // namespace gprof
