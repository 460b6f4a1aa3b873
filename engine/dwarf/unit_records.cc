#include "engine/dwarf/unit_records.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/dwarf/die_reader.h"
#include "engine/support/limits.h"

namespace gprof::dwarf {
namespace {

// Limits how much units may read of shared sections in total, and how many units there may be: each
// of them can refer to the same long list, table or text.
class UnitBudget {
 public:
  explicit UnitBudget(const DwarfSections& sections)
      : sections_(sections),
        units_{most_units(sections.file_size), "are too many"},
        abbreviations_{shared(sections.abbrev.size()), "share their abbreviations"},
        ranges_{
            most_shared_bytes(sections.ranges.size() + sections.rnglists.size()) / smallest_range,
            "share their address ranges"},
        names_{shared(sections.str.size() + sections.line_str.size()), "share long names"} {}

  // Each returns false once the budget is used up.
  bool take_unit(const UnitHeader& header) {
    DieReader entries(sections_, header);
    (void)entries.next();
    return take(units_, 1) && take(abbreviations_, entries.abbreviation_bytes());
  }
  bool take_summary(const Unit& unit, std::uint64_t range_entries) {
    return take(ranges_, range_entries) &&
           take(names_, unit.name.size() + unit.compilation_directory.size() +
                            unit.producer.size() + unit.split_file.size());
  }

  [[nodiscard]] Error exhausted() const {
    return Error{ErrorCode::unsupported,
                 fmt::format("the units of .debug_info {}, as those of no honest file of {} bytes: "
                             "the rest of them is left out",
                             reason_, sections_.file_size),
                 sections_.path,
                 {}};
  }

 private:
  // Half of the minimum size of a range list entry.
  static constexpr std::uint64_t smallest_range = 8;

  struct Share {
    std::uint64_t left;
    std::string_view reason;
  };

  // Many units refer to what tools such as dwz merge: in proportion to their number.
  [[nodiscard]] std::uint64_t shared(std::uint64_t section_size) const {
    return most_shared_bytes(section_size) + 16 * sections_.info.size();
  }
  bool take(Share& share, std::uint64_t amount) {
    if (amount <= share.left) {
      share.left -= amount;
      return true;
    }
    reason_ = share.reason;
    return false;
  }

  const DwarfSections& sections_;
  std::string_view reason_;
  Share units_;
  Share abbreviations_;
  Share ranges_;
  Share names_;
};

struct ReadSummary {
  UnitSummary summary;
  std::uint64_t range_entries = 0;
};

Expected<ReadSummary> read_summary(const DwarfSections& sections, const UnitHeader& header,
                                   const CodeFilter& code) {
  FormValues values(sections, header);
  TRY_ASSIGN(auto summary, read_unit_summary(values, code));
  summary.unit.dwarf_version = header.version;
  summary.unit.has_lines = summary.line_offset && !sections.line.empty();
  return ReadSummary{std::move(summary), values.range_entries_read()};
}

}  // namespace

std::vector<UnitRecord> read_unit_records(const DwarfSections& sections, const CodeFilter& code,
                                          Warnings& warnings) {
  std::vector<UnitRecord> records;
  UnitBudget budget(sections);
  for (const UnitHeader& header : read_unit_headers(sections, warnings)) {
    if (header.kind == UnitKind::type || header.kind == UnitKind::split_compile) continue;
    bool affordable = budget.take_unit(header);
    auto read = affordable ? read_summary(sections, header, code) : budget.exhausted();
    if (read) affordable = budget.take_summary(read->summary.unit, read->range_entries);
    if (!affordable) {
      warnings.push_back(budget.exhausted());
      break;
    }
    if (read) {
      records.push_back({header, std::move(read->summary)});
    } else {
      warnings.push_back(std::move(read).error());
    }
  }
  return records;
}

const UnitRecord* record_at(const std::vector<UnitRecord>& records, std::uint64_t offset) {
  auto after = std::upper_bound(
      records.begin(), records.end(), offset,
      [](std::uint64_t wanted, const UnitRecord& record) { return wanted < record.header.offset; });
  if (after == records.begin()) return nullptr;
  --after;
  return offset < after->header.end ? &*after : nullptr;
}

}  // namespace gprof::dwarf
