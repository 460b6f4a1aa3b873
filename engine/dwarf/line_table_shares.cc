#include "engine/dwarf/line_table_shares.h"

#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "engine/dwarf/line_header.h"
#include "engine/support/limits.h"

namespace gprof::dwarf {

void bound_line_tables(std::vector<UnitRecord>& records, const DwarfSections& sections,
                       Warnings& warnings) {
  std::uint64_t left = most_shared_bytes(sections.line.size());
  std::size_t without_lines = 0;
  // Partial units have a table's files, which are read once.
  std::set<std::pair<std::uint64_t, std::string_view>> files_read;
  for (UnitRecord& record : records) {
    Unit& unit = record.summary.unit;
    if (!unit.has_lines) continue;
    const std::uint64_t offset = *record.summary.line_offset;
    const LineTableSize size = line_table_size(sections, offset);
    const bool is_new = files_read.emplace(offset, unit.compilation_directory).second;
    const std::uint64_t read = !record.summary.is_partial ? size.all : is_new ? size.header : 0;
    if (read > left) {
      unit.has_lines = false;
      ++without_lines;
      continue;
    }
    left -= read;
  }
  if (without_lines == 0) return;
  warnings.push_back(
      {ErrorCode::unsupported,
       fmt::format("{} name line tables of other units, more than {} bytes of the {} "
                   "in .debug_line together: their lines are left out",
                   without_lines == 1 ? "1 unit" : fmt::format("{} units", without_lines),
                   most_shared_bytes(sections.line.size()), sections.line.size()),
       sections.path,
       {}});
}

}  // namespace gprof::dwarf
