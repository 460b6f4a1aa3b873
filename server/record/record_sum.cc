#include "server/record/record_sum.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/reader.h"
#include "engine/gmon/sum.h"
#include "engine/gmon/writer.h"
#include "server/record/record_files.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t bin_size = 2;
constexpr std::string_view sum_name = "gmon.sum";

bool has_small_bins(const Histogram& histogram) {
  return histogram.high > histogram.low &&
         histogram.high - histogram.low == histogram.bins.size() * bin_size;
}

bool has_small_bins(const RawProfile& profile) {
  return std::ranges::all_of(profile.histograms,
                             [](const Histogram& histogram) { return has_small_bins(histogram); });
}

Expected<RawProfile> sum_of(const std::vector<fs::path>& paths) {
  std::vector<AddressRange> ranges;
  for (const fs::path& path : paths) {
    const auto profile = read_gmon_file(path, {});
    if (!profile) return profile.error();
    if (!has_small_bins(*profile)) continue;
    for (const Histogram& histogram : profile->histograms) {
      ranges.push_back({histogram.low, histogram.high});
    }
    ranges = united(std::move(ranges));
  }
  ProfileSum sum;
  for (const fs::path& path : paths) {
    auto profile = read_gmon_file(path, {});
    if (!profile) return profile.error();
    lay_out_samples(*profile, ranges);
    if (auto added = sum.add(*profile, path.string()); !added) return added.error();
  }
  return sum.take();
}

Expected<void> write_sum_file(const fs::path& path, const std::vector<fs::path>& parts) {
  const auto sum = sum_of(parts);
  if (!sum) return sum.error();
  const auto bytes = write_gmon(*sum, {});
  if (!bytes) {
    Error error = bytes.error();
    error.path = path.string();
    return error;
  }
  return write_whole_file(path, *bytes);
}

}  // namespace

std::vector<AddressRange> united(std::vector<AddressRange> ranges) {
  std::ranges::sort(ranges);
  std::vector<AddressRange> result;
  for (const AddressRange& range : ranges) {
    if (range.empty()) continue;
    // Bins of both have to be the same ones.
    const bool joins = !result.empty() && range.low <= result.back().high &&
                       (range.low - result.back().low) % bin_size == 0;
    if (joins) {
      result.back().high = std::max(result.back().high, range.high);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

void lay_out_samples(RawProfile& profile, const std::vector<AddressRange>& ranges) {
  if (!has_small_bins(profile)) return;
  std::vector<Histogram> laid_out;
  for (const Histogram& histogram : profile.histograms) {
    auto range = std::upper_bound(
        ranges.begin(), ranges.end(), histogram.low,
        [](Address address, const AddressRange& after) { return address < after.low; });
    if (range == ranges.begin()) return;
    --range;
    if (histogram.high > range->high || (histogram.low - range->low) % bin_size != 0) return;
    if (laid_out.empty() || laid_out.back().low != range->low) {
      laid_out.push_back({range->low, range->high, {}});
      laid_out.back().bins.resize(range->size() / bin_size);
    }
    const std::size_t first = (histogram.low - range->low) / bin_size;
    histogram.bins.visit_used(
        [&](std::size_t i, std::uint64_t count) { laid_out.back().bins.add(first + i, count); });
  }
  profile.histograms = std::move(laid_out);
}

Expected<FoundProfile> write_sum(const fs::path& directory,
                                 const std::vector<FoundProfile>& profiles) {
  FoundProfile total;
  total.path = directory / sum_name;
  std::vector<fs::path> programs;
  std::map<std::string, std::vector<fs::path>> libraries;
  for (const FoundProfile& profile : profiles) {
    programs.push_back(profile.path);
    for (std::size_t i = 0; i < profile.libraries.size(); ++i) {
      libraries[profile.library_names[i]].push_back(profile.libraries[i]);
    }
    add_figures(total.figures, profile.figures);
  }
  for (const auto& [name, parts] : libraries) {
    const fs::path path = directory / fmt::format("{}.{}", sum_name, name);
    if (auto written = write_sum_file(path, parts); !written) return written.error();
    total.libraries.push_back(path);
    total.library_names.push_back(name);
  }
  // Last: who sees it sees all.
  if (auto written = write_sum_file(total.path, programs); !written) return written.error();
  return total;
}

}  // namespace gprof::lsp
