// What is known of units without decoding them, to or from a stored index.
//
// Thread contract: pure functions of their arguments. Errors: reported by the index.
#pragma once

#include <vector>

#include "engine/dwarf/unit_records.h"

namespace gprof::dwarf {

template <typename Record, typename Stream>
void exchange_unit(Record& record, Stream& stream) {
  auto& header = record.header;
  stream.number(header.offset);
  stream.number(header.end);
  stream.number(header.abbrev_offset);
  stream.optional(header.split_id);
  stream.number(header.version);
  stream.number(header.offset_size);
  stream.number(header.address_size);
  stream.number(header.kind);
  auto& summary = record.summary;
  stream.text(summary.unit.name);
  stream.text(summary.unit.compilation_directory);
  stream.text(summary.unit.producer);
  stream.number(summary.unit.language);
  stream.array(summary.unit.ranges);
  stream.text(summary.unit.split_file);
  stream.number(summary.unit.has_lines);
  stream.optional(summary.bases.string_offsets);
  stream.optional(summary.bases.addresses);
  stream.optional(summary.bases.range_lists);
  stream.number(summary.bases.split_ranges);
  stream.number(summary.bases.low_pc);
  stream.optional(summary.line_offset);
  stream.optional(summary.split_id);
  stream.number(summary.is_partial);
}

// Whether a stored unit lies in the sections and has a valid kind. Its other data is no more
// trusted than any file's.
[[nodiscard]] inline bool is_sound(const UnitRecord& record, std::uint64_t info_size,
                                   std::uint64_t abbrev_size) {
  const UnitHeader& header = record.header;
  const UnitSummary& summary = record.summary;
  const bool placed =
      header.offset < header.end && header.end <= info_size && header.abbrev_offset < abbrev_size;
  const bool known = (header.offset_size == 4 || header.offset_size == 8) &&
                     (header.address_size == 4 || header.address_size == 8) &&
                     header.version >= 2 && header.version <= 5 && header.kind <= UnitKind::type &&
                     summary.unit.language <= last_language;
  return placed && known && (!summary.unit.has_lines || summary.line_offset);
}

}  // namespace gprof::dwarf
