// What the parts of a report's text are, told while it is printed: what links, folds and colours
// are made from.
//
// Units: bytes of the text. Ownership: owns all of it. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/support/units.h"

namespace gprof {

enum class RangeKind : std::uint8_t {
  section,      // a report with all that belongs to it
  source,       // an annotated source, the same
  explanation,  // of a report's columns
  heading,
  column_names,  // one line of them
  entry,         // of the call graph, with its callers and callees
  entry_name,    // in the line that an entry is about; subject: the entry's number
  reference,     // "[4]"; subject: the number of the entry, if it is printed
  function,      // a name, without its place; subject: an address in the function that is meant
  file,          // a path, or a path with its line; subject: index into ReportRanges::files
  share,         // of the time; subject: hundredths of a percent
};

struct ReportRange {
  RangeKind kind = RangeKind::section;
  LineNumber line = 0;  // of a file; 0: the file as a whole
  std::uint64_t subject = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const ReportRange&, const ReportRange&) = default;
};

struct ReportRanges {
  std::vector<ReportRange> ranges;  // by their beginnings; what holds others before these
  std::vector<std::string> files;
};

}  // namespace gprof
