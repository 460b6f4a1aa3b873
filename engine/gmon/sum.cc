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

// What RawProfile promises of its histograms, and the readers keep.
bool well_formed(const std::vector<Histogram>& histograms) {
  for (std::size_t i = 0; i < histograms.size(); ++i) {
    if (histograms[i].bins.empty() || !can_hold_bins(range_of(histograms[i]))) return false;
    if (i > 0 && histograms[i].low < histograms[i - 1].high) return false;
  }
  return true;
}

}  // namespace

std::size_t ProfileSum::ArcHash::operator()(const RawArc& arc) const {
  // Calls of one site differ in self_pc, those of one function in from_pc: both must spread.
  constexpr std::uint64_t odd_1 = 0x9e3779b97f4a7c15;
  constexpr std::uint64_t odd_2 = 0xc2b2ae3d27d4eb4f;
  const std::uint64_t mixed = (arc.self_pc.value * odd_1 + arc.from_pc.value) * odd_2;
  return static_cast<std::size_t>(mixed ^ mixed >> 32);
}

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
    if (const auto conflict = histograms_.conflict(range_of(histogram), histogram.bins.size())) {
      return mismatch(fmt::format("the histogram over [{:#x}, {:#x}) {}", histogram.low.value,
                                  histogram.high.value, *conflict),
                      path);
    }
  }
  return {};
}

void ProfileSum::add_header(const RawProfile& profile) {
  if (empty_) {
    total_.format = profile.format;
    total_.version = profile.version;
    total_.build_id_prefix = profile.build_id_prefix;
    total_.exact_call_sites = profile.exact_call_sites;
    total_.exact_costs = profile.exact_costs;
  } else {
    total_.exact_call_sites = total_.exact_call_sites && profile.exact_call_sites;
    total_.exact_costs = total_.exact_costs && profile.exact_costs;
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
  total_.foreign_ticks += profile.foreign_ticks;
  total_.histogram_records = saturating_add(total_.histogram_records, profile.histogram_records);
  total_.arc_records = saturating_add(total_.arc_records, profile.arc_records);
  total_.block_records = saturating_add(total_.block_records, profile.block_records);
}

void ProfileSum::add_arc(const RawArc& arc) {
  const auto [place, added] = arc_places_.try_emplace(arc, total_.arcs.size());
  if (added) {
    total_.arcs.push_back(arc);
    return;
  }
  std::uint64_t& count = total_.arcs[place->second].count;
  count = saturating_add(count, arc.count);
}

void ProfileSum::add_block(const BlockCount& block) {
  const auto [place, added] = block_places_.try_emplace(block.address.value, total_.blocks.size());
  if (added) {
    total_.blocks.push_back(block);
    return;
  }
  std::uint64_t& count = total_.blocks[place->second].count;
  count = saturating_add(count, block.count);
}

Expected<void> ProfileSum::add(const RawProfile& profile, const std::string& path) {
  if (is_empty(profile)) return {};
  if (auto fits = check(profile, path); !fits) return fits;
  add_header(profile);
  empty_ = false;
  for (const Histogram& histogram : profile.histograms) histograms_.add(histogram);
  for (const RawArc& arc : profile.arcs) add_arc(arc);
  for (const BlockCount& block : profile.blocks) add_block(block);
  return {};
}

RawProfile ProfileSum::take() {
  RawProfile profile = std::move(total_);
  profile.histograms = histograms_.take();
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
  if (auto done = sum.add(total, "the sum so far"); !done) return done;
  if (auto done = sum.add(other, other_path); !done) return done;
  total = sum.take();
  return {};
}

}  // namespace gprof
