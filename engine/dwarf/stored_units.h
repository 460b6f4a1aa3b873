// What is known of units without looking into them, to or from a stored index.
//
// Thread contract: pure functions of their arguments. Errors: as the index tells them.
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

}  // namespace gprof::dwarf
