#include "engine/dwarf/unit_records.h"

#include <algorithm>
#include <utility>

namespace gprof::dwarf {
namespace {

Expected<UnitSummary> read_summary(const DwarfSections& sections, const UnitHeader& header,
                                   const CodeFilter& code) {
  auto unit = LibdwarfUnit::open(sections, header);
  if (!unit) return std::move(unit).error();
  UnitValues values(sections, *unit);
  auto summary = read_unit_summary(*unit, values, code);
  if (summary) summary->unit.dwarf_version = header.version;
  if (summary) summary->unit.has_lines = summary->line_offset && !sections.line.empty();
  return summary;
}

}  // namespace

std::vector<UnitRecord> read_unit_records(const DwarfSections& sections, const CodeFilter& code,
                                          Warnings& warnings) {
  std::vector<UnitRecord> records;
  for (const UnitHeader& header : read_unit_headers(sections, warnings)) {
    if (header.kind == UnitKind::type || header.kind == UnitKind::split_compile) continue;
    auto summary = read_summary(sections, header, code);
    if (!summary) {
      warnings.push_back(std::move(summary).error());
      continue;
    }
    if (header.kind == UnitKind::partial) summary->is_partial = true;
    records.push_back({header, std::move(*summary)});
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
