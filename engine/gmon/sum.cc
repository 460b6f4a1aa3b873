#include "engine/gmon/sum.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/support/saturating.h"

namespace gprof {
namespace {

bool is_empty(const RawProfile& profile) {
  return profile.histograms.empty() && profile.arcs.empty() && profile.blocks.empty() &&
         profile.histogram_records == 0 && profile.arc_records == 0 && profile.block_records == 0;
}

Error mismatch(std::string message, const std::string& path) {
  return Error{ErrorCode::mismatch,
               std::move(message) + "; only profiles of one executable, made in one way, add up",
               path, std::nullopt};
}

AddressRange range_of(const Histogram& histogram) { return {histogram.low, histogram.high}; }

// What RawProfile guarantees of its histograms, and the readers ensure.
bool well_formed(const std::vector<Histogram>& histograms) {
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    if (histograms[i].bins.empty() || !can_hold_bins(range_of(histograms[i]))) return false;
    if (i > 0 && histograms[i].low < histograms[i - 1].high) return false;
  }
  return true;
}

}  // namespace

Expected<void> ProfileSum::check(const RawProfile& profile, const std::string& path) const {
  if (total_.histogram_records != 0 && profile.histogram_records != 0) {
    if (profile.dimension != total_.dimension ||
        profile.dimension_abbreviation != total_.dimension_abbreviation) {
      return mismatch(fmt::format("samples in \"{}\" ('{}') expected as before, \"{}\" ('{}') "
                                  "found",
                                  total_.dimension, total_.dimension_abbreviation,
                                  profile.dimension, profile.dimension_abbreviation),
                      path);
    }
  }
  if (!well_formed(profile.histograms)) {
    return Error{ErrorCode::invalid_argument,
                 "histograms with bins over ascending, disjoint ranges expected", path,
                 std::nullopt};
  }
  for (const Histogram& histogram : profile.histograms) {
    auto fits = check_range(range_of(histogram), histogram.bins.size(), path);
    if (!fits) return fits;
  }
  return {};
}

Expected<void> ProfileSum::check_range(AddressRange range, std::uint64_t bin_count,
                                       const std::string& path) const {
  const auto conflict = histograms_.conflict(range, bin_count);
  if (!conflict) return {};
  return mismatch(fmt::format("the histogram over [{:#x}, {:#x}) {}", range.low.value,
                              range.high.value, *conflict),
                  path);
}

void ProfileSum::add_header(const RawProfile& profile) {
  if (empty_) {
    total_.format = profile.format;
    total_.version = profile.version;
    total_.build_id_prefix = profile.build_id_prefix;
    total_.exact_call_sites = profile.exact_call_sites;
    total_.exact_costs = profile.exact_costs;
    total_.by_clock = profile.by_clock;
  } else {
    total_.exact_call_sites = total_.exact_call_sites && profile.exact_call_sites;
    total_.exact_costs = total_.exact_costs && profile.exact_costs;
    total_.by_clock = total_.by_clock || profile.by_clock;
    total_.format = std::max(total_.format, profile.format);
    // The last GNU file's, as GNU gprof's file information shows it.
    if (profile.format == GmonFormat::gnu) total_.version = profile.version;
    if (total_.build_id_prefix != profile.build_id_prefix) total_.build_id_prefix.reset();
  }
  if (total_.histogram_records == 0) {
    total_.rate = profile.rate;
    total_.dimension = profile.dimension;
    total_.dimension_abbreviation = profile.dimension_abbreviation;
  }
  total_.external_ticks += profile.external_ticks;
  total_.ticks_per_sample = std::max(total_.ticks_per_sample, profile.ticks_per_sample);
  total_.sampled_ticks += profile.sampled_ticks;
  total_.histogram_records = saturating_add(total_.histogram_records, profile.histogram_records);
  total_.arc_records = saturating_add(total_.arc_records, profile.arc_records);
  total_.block_records = saturating_add(total_.block_records, profile.block_records);
}

void ProfileSum::add_decoded(const RawProfile& profile) {
  empty_ = false;
  for (const Histogram& histogram : profile.histograms) histograms_.add(histogram);
  arcs_.expect(profile.arcs.size());
  for (const RawArc& arc : profile.arcs) arcs_.add(arc);
  blocks_.expect(profile.blocks.size());
  for (const BlockCount& block : profile.blocks) blocks_.add(block);
}

Expected<void> ProfileSum::add(const RawProfile& profile, const std::string& path) {
  if (is_empty(profile)) return {};
  TRY(check(profile, path));
  add_header(profile);
  add_decoded(profile);
  return {};
}

Expected<void> ProfileSum::add(const EncodedProfile& stored, const std::string& path) {
  const RawProfile& profile = stored.decoded;
  if (is_empty(profile)) return {};
  TRY(check(profile, path));
  for (const StoredHistogram& histogram : stored.histograms) {
    auto fits = check_range(histogram.range, bin_count(histogram.bins), path);
    if (!fits) return fits;
  }
  add_header(profile);
  add_decoded(profile);
  for (const StoredHistogram& histogram : stored.histograms) {
    histograms_.add(histogram, stored.layout.byte_order);
  }
  if (!stored.arcs.empty()) arcs_.expect(profile.arc_records);
  for (const StoredBytes arcs : stored.arcs) {
    each_arc(arcs, stored.layout, [&](const RawArc& arc) { arcs_.add(arc); });
  }
  return {};
}

RawProfile ProfileSum::take() {
  RawProfile profile = std::move(total_);
  profile.histograms = histograms_.take();
  profile.arcs = arcs_.take();
  profile.blocks = blocks_.take();
  *this = ProfileSum();
  return profile;
}

Expected<void> add_profile(RawProfile& total, const RawProfile& other,
                           const std::string& other_path) {
  if (is_empty(other)) return {};
  if (is_empty(total)) {
    total = other;
    return {};
  }
  ProfileSum sum;
  TRY(sum.add(total, "the sum so far"));
  TRY(sum.add(other, other_path));
  total = sum.take();
  return {};
}

}  // namespace gprof
