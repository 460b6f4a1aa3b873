#include "engine/symbols/unit_line_ranges.h"

#include <algorithm>
#include <utility>

#include "engine/symbols/innermost_ranges.h"
#include "engine/symbols/row_ranges.h"

namespace gprof {
namespace {

// The name of a file for an invalid number in a row.
constexpr const char* unknown_file = "<unknown>";

// Languages whose functions have their source names as linkage names.
bool names_are_linkage_names(Language language) {
  return language == Language::c || language == Language::assembler;
}

// The code of a unit's functions, split into ranges by the innermost function.
std::vector<NamedRange> function_ranges(const UnitCode& unit, Language language,
                                        FunctionNaming names,
                                        std::vector<NamedFunction>& functions) {
  std::vector<NamedRange> ranges;
  ranges.reserve(unit.ranges.size());
  functions.reserve(unit.functions.size());
  for (const NamedCode& code : unit.functions) {
    if (names == FunctionNaming::gnu && code.has_indexed_ranges) continue;
    const bool linked = !code.linkage_name.empty();
    const std::string_view name = linked ? code.linkage_name : code.own_name;
    if (name.empty()) continue;
    const auto index = static_cast<FunctionIndex>(functions.size());
    const auto own = std::span(unit.ranges).subspan(code.first_range, code.range_count);
    functions.push_back({name, linked || names_are_linkage_names(language), own.front().low});
    for (const AddressRange& range : own) ranges.push_back({range, index});
  }
  return innermost_ranges(std::move(ranges));
}

// Line ranges in ascending order; merges equal neighbours.
class LineRangeList {
 public:
  explicit LineRangeList(std::vector<LineRange>& ranges) : ranges_(ranges) {}

  void add(const LineRange& range) {
    if (range.code.empty()) return;
    if (!ranges_.empty()) {
      LineRange& last = ranges_.back();
      const bool same =
          last.line == range.line && last.path == range.path && last.function == range.function;
      if (same && last.code.high == range.code.low) {
        last.code.high = range.code.high;
        return;
      }
    }
    ranges_.push_back(range);
  }

 private:
  std::vector<LineRange>& ranges_;
};

// Splits ranges where the function changes. They must come in ascending order.
class FunctionSplitter {
 public:
  explicit FunctionSplitter(std::span<const NamedRange> functions) : functions_(functions) {}

  void add(LineRange range, LineRangeList& ranges) {
    while (next_ < functions_.size() && functions_[next_].range.high <= range.code.low) ++next_;
    const Address end = range.code.high;
    for (std::size_t i = next_; i < functions_.size() && functions_[i].range.low < end; ++i) {
      const NamedRange& inside = functions_[i];
      range.function = no_function;
      range.code.high = inside.range.low;
      ranges.add(range);
      range.function = inside.index;
      range.code = intersect(inside.range, {range.code.low, end});
      ranges.add(range);
      range.code.low = range.code.high;
    }
    range.function = no_function;
    range.code.high = end;
    ranges.add(range);
  }

 private:
  std::span<const NamedRange> functions_;
  std::size_t next_ = 0;
};

// Sorted, disjoint and not touching.
std::vector<AddressRange> united(std::vector<AddressRange> ranges) {
  std::ranges::sort(ranges);
  std::vector<AddressRange> result;
  for (const AddressRange& range : ranges) {
    if (range.empty()) continue;
    if (!result.empty() && range.low <= result.back().high) {
      result.back().high = std::max(result.back().high, range.high);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

// Whether some of the code lies in one of the unit's ranges. gprof finds a unit by these and then
// uses all its lines, including those of code that the ranges leave out, as DWARF 2's single range
// does with code in further sections.
bool is_reached(const std::vector<RowRange>& rows, const std::vector<AddressRange>& unit_ranges) {
  if (unit_ranges.empty()) return true;
  const std::vector<AddressRange> ranges = united(unit_ranges);
  return std::ranges::any_of(rows, [&](const RowRange& row) {
    const auto after = std::ranges::lower_bound(ranges, row.range.high, {}, &AddressRange::low);
    return after != ranges.begin() && std::prev(after)->high > row.range.low;
  });
}

// The paths that rows need, by their new numbers.
class PathNumbers {
 public:
  PathNumbers(const WrittenRows& written, std::vector<std::string>& paths)
      : written_(written), paths_(paths), numbers_(written.paths.size() + 1, no_path) {}

  PathIndex number_of(FileId file) {
    PathIndex& number = numbers_[file];
    if (number == no_path) {
      number = static_cast<PathIndex>(paths_.size());
      std::string path = file == no_file ? std::string() : written_.paths[file - 1];
      paths_.push_back(path.empty() ? unknown_file : std::move(path));
    }
    return number;
  }

 private:
  const WrittenRows& written_;
  std::vector<std::string>& paths_;
  std::vector<PathIndex> numbers_;
};

}  // namespace

UnitLineRanges read_unit_line_ranges(const DebugInformation& debug, UnitIndex unit,
                                     FunctionNaming names) {
  UnitLineRanges result;
  const auto written = debug.written_rows(unit);
  if (!written) return result;
  const std::vector<RowRange> rows = row_ranges(written->rows);
  const Unit& about = debug.units()[unit];
  if (rows.empty() || !is_reached(rows, about.ranges)) return result;
  std::vector<NamedRange> functions;
  if (names != FunctionNaming::none) {
    if (const auto code = debug.named_code(unit)) {
      functions = function_ranges(*code, about.language, names, result.functions);
      result.names = code->names;
    }
  }
  PathNumbers paths(*written, result.paths);
  LineRangeList ranges(result.ranges);
  FunctionSplitter splitter(functions);
  for (const RowRange& row : rows) {
    LineRange range{row.range, no_path, row.row->line, no_function};
    if (range.line != 0) range.path = paths.number_of(row.row->file);
    splitter.add(range, ranges);
  }
  return result;
}

}  // namespace gprof
