#include "engine/symbols/line_ranges.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/support/ordered_work.h"
#include "engine/symbols/covered_ranges.h"
#include "engine/symbols/unit_line_ranges.h"

namespace gprof {

// Joins the units' ranges, in unit order.
class LineRangeCollector {
 public:
  LineRangeCollector() = default;
  // Keeps only ranges that contain one of the ascending addresses.
  explicit LineRangeCollector(std::span<const Address> addresses) : addresses_(addresses) {}

  void add(UnitLineRanges&& unit);
  // `added` of `all` units have been added. If the next unit's ranges may not fit, reserves room
  // for those of all remaining ones: unused room is never touched, and so takes no memory.
  void expect(std::size_t added, std::size_t all);
  [[nodiscard]] LineRanges take();

 private:
  void renumber(UnitLineRanges& unit);
  void take_stretch(std::span<const LineRange> stretch);
  [[nodiscard]] bool is_wanted(AddressRange range, std::size_t& next_address) const;

  std::optional<std::span<const Address>> addresses_;
  LineRanges result_;
  std::unordered_map<std::string, PathIndex> paths_;
  CoveredRanges claimed_;
};

void LineRangeCollector::renumber(UnitLineRanges& unit) {
  std::vector<PathIndex> paths;
  paths.reserve(unit.paths.size());
  for (std::string& path : unit.paths) {
    const auto next = static_cast<PathIndex>(result_.paths_.size());
    const auto [known, is_new] = paths_.try_emplace(path, next);
    if (is_new) result_.paths_.push_back(std::move(path));
    paths.push_back(known->second);
  }
  const auto first_function = static_cast<FunctionIndex>(result_.functions_.size());
  for (LineRange& range : unit.ranges) {
    if (range.path != no_path) range.path = paths[range.path];
    if (range.function != no_function) range.function += first_function;
  }
}

// `next_address` advances with the ranges, which must be passed in ascending order.
bool LineRangeCollector::is_wanted(AddressRange range, std::size_t& next_address) const {
  if (!addresses_) return true;
  const std::span<const Address> addresses = *addresses_;
  while (next_address < addresses.size() && addresses[next_address] < range.low) ++next_address;
  return next_address < addresses.size() && addresses[next_address] < range.high;
}

// `stretch` must have no gaps.
void LineRangeCollector::take_stretch(std::span<const LineRange> stretch) {
  const AddressRange whole{stretch.front().code.low, stretch.back().code.high};
  const bool free = claimed_.is_free(whole);
  std::size_t next_address = 0;
  if (addresses_) {
    const auto first = std::ranges::lower_bound(*addresses_, whole.low);
    next_address = static_cast<std::size_t>(first - addresses_->begin());
  }
  for (LineRange range : stretch) {
    if (!is_wanted(range.code, next_address)) continue;
    if (free) {
      result_.ranges_.push_back(range);
      continue;
    }
    claimed_.free_parts(range.code, [&](AddressRange part) {
      range.code = part;
      result_.ranges_.push_back(range);
    });
  }
}

void LineRangeCollector::add(UnitLineRanges&& unit) {
  renumber(unit);
  const std::span<const LineRange> ranges = unit.ranges;
  std::vector<AddressRange> stretches;
  for (std::size_t start = 0; start < ranges.size();) {
    std::size_t end = start + 1;
    while (end < ranges.size() && ranges[end].code.low == ranges[end - 1].code.high) ++end;
    stretches.push_back({ranges[start].code.low, ranges[end - 1].code.high});
    take_stretch(ranges.subspan(start, end - start));
    start = end;
  }
  // Only now: the ranges of one unit do not exclude each other.
  for (const AddressRange& stretch : stretches) claimed_.add(stretch);
  result_.functions_.insert(result_.functions_.end(), unit.functions.begin(), unit.functions.end());
  if (unit.names) result_.names_.push_back(std::move(unit.names));
}

void LineRangeCollector::expect(std::size_t added, std::size_t all) {
  constexpr std::size_t first_guess = 16;
  constexpr std::size_t most_growth = 64;
  auto& ranges = result_.ranges_;
  if (added == 0 || added < std::min(first_guess, all / 2)) return;
  const std::size_t of_a_unit = ranges.size() / added + 1;
  if (ranges.capacity() - ranges.size() >= 2 * of_a_unit) return;
  const std::size_t units = std::min(all - added, most_growth * added);
  ranges.reserve(ranges.size() + units * (of_a_unit + of_a_unit / 8));
}

LineRanges LineRangeCollector::take() {
  const auto by_address = [](const LineRange& range) { return range.code.low; };
  if (!std::ranges::is_sorted(result_.ranges_, {}, by_address)) {
    std::ranges::sort(result_.ranges_, {}, by_address);
  }
  return std::move(result_);
}

namespace {

// Units whose ranges may wait for those before them.
constexpr std::size_t most_waiting_units = 32;

void add_units(const DebugInformation& debug, FunctionNaming names,
               std::span<const UnitIndex> units, std::size_t threads,
               LineRangeCollector& collector) {
  make_and_take(
      units.size(), threads, most_waiting_units,
      [&](std::size_t i) { return read_unit_line_ranges(debug, units[i], names); },
      [&](std::size_t i, UnitLineRanges&& unit) {
        collector.expect(i, units.size());
        collector.add(std::move(unit));
      });
}

// Whether the range contains one of the ascending addresses.
bool holds_any(AddressRange range, std::span<const Address> addresses) {
  const auto first = std::ranges::lower_bound(addresses, range.low);
  return first != addresses.end() && *first < range.high;
}

// A unit whose ranges may not cover all its rows is assumed to match.
bool may_speak_of(const Unit& unit, std::span<const Address> addresses) {
  if (!unit.has_lines) return false;
  if (unit.ranges.empty() || unit.dwarf_version <= 2) return true;
  return std::ranges::any_of(
      unit.ranges, [&](const AddressRange& range) { return holds_any(range, addresses); });
}

}  // namespace

LineRanges LineRanges::read(const DebugInformation& debug, FunctionNaming names,
                            std::size_t threads) {
  std::vector<UnitIndex> units(debug.units().size());
  std::iota(units.begin(), units.end(), UnitIndex{0});
  LineRangeCollector collector;
  add_units(debug, names, units, threads, collector);
  return collector.take();
}

LineRanges LineRanges::read_around(const DebugInformation& debug,
                                   std::span<const Address> addresses) {
  std::vector<UnitIndex> units;
  for (UnitIndex unit = 0; unit < debug.units().size(); ++unit) {
    if (may_speak_of(debug.units()[unit], addresses)) units.push_back(unit);
  }
  LineRangeCollector collector(addresses);
  add_units(debug, FunctionNaming::none, units, processor_count(), collector);
  return collector.take();
}

const LineRange* LineRangeFinder::at(Address address) {
  const auto begins_behind = [&](std::size_t i) { return ranges_[i].code.low > address; };
  // Bounds for the first range after the address: near the previous one.
  std::size_t low = near_ < ranges_.size() && !begins_behind(near_) ? near_ : 0;
  std::size_t high = low;
  for (std::size_t step = 1; high < ranges_.size() && !begins_behind(high); step *= 2) {
    low = high;
    high = std::min(ranges_.size(), high + step);
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (begins_behind(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low == 0) return nullptr;
  near_ = low - 1;
  const LineRange& range = ranges_[near_];
  return range.code.contains(address) ? &range : nullptr;
}

}  // namespace gprof
