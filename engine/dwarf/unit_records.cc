#include "engine/dwarf/unit_records.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/dwarf/entry_reader.h"
#include "engine/support/limits.h"

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

Error too_many_units(const DwarfSections& sections, std::string_view what) {
  return Error{
      ErrorCode::unsupported,
      fmt::format("the units of .debug_info {}, which those of no file of {} bytes do: the "
                  "rest of them is left out",
                  what, sections.file_size),
      sections.path,
      {}};
}

// How far into its abbreviations a unit's own entry makes a reader go: units may share a table.
std::uint64_t bytes_of_abbreviations(const DwarfSections& sections, const UnitHeader& header) {
  EntryReader entries(sections, header);
  (void)entries.next();
  return entries.abbreviation_bytes();
}

}  // namespace

std::vector<UnitRecord> read_unit_records(const DwarfSections& sections, const CodeFilter& code,
                                          Warnings& warnings) {
  std::vector<UnitRecord> records;
  std::uint64_t units_left = most_units(sections.file_size);
  const std::uint64_t most_abbreviations =
      most_shared_bytes(sections.abbrev.size()) + 16 * sections.info.size();
  std::uint64_t abbreviations_left = most_abbreviations;
  for (const UnitHeader& header : read_unit_headers(sections, warnings)) {
    if (header.kind == UnitKind::type || header.kind == UnitKind::split_compile) continue;
    if (units_left-- == 0) {
      warnings.push_back(too_many_units(
          sections, fmt::format("are more than {}", most_units(sections.file_size))));
      break;
    }
    const std::uint64_t abbreviations = bytes_of_abbreviations(sections, header);
    if (abbreviations > abbreviations_left) {
      warnings.push_back(too_many_units(
          sections, fmt::format("read more than {} bytes of .debug_abbrev, which has {},",
                                most_abbreviations, sections.abbrev.size())));
      break;
    }
    abbreviations_left -= abbreviations;
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
