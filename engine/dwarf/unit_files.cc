#include "engine/dwarf/unit_files.h"

#include <optional>

#include "engine/dwarf/line_header.h"
#include "engine/support/stored_checks.h"

namespace gprof::dwarf {
namespace {

std::pair<std::uint64_t, std::string> key_of(const UnitSummary& summary) {
  return {*summary.line_offset, summary.unit.compilation_directory};
}

// Precondition: the unit has a line table.
Expected<std::vector<FileId>> read_numbers(const DwarfSections& sections, const UnitRecord& record,
                                           SourceFiles& files) {
  TRY_ASSIGN(auto header, read_line_header(sections, *record.summary.line_offset, record.header,
                                           record.summary.bases));
  auto numbers = files.numbers_of(file_paths(header, record.summary.unit.compilation_directory));
  std::vector<std::optional<SourceDigest>> digests;
  digests.reserve(header.files.size());
  for (const LineHeader::File& file : header.files) digests.push_back(file.digest);
  files.add_digests(numbers, digests);
  return numbers;
}

}  // namespace

Expected<UnitFiles::Table> UnitFiles::of(const UnitRecord& record) {
  if (!record.summary.unit.has_lines) return std::make_shared<const std::vector<FileId>>();
  auto key = key_of(record.summary);
  {
    const std::lock_guard lock(mutex_);
    const auto known = tables_.find(key);
    if (known != tables_.end()) return known->second;
  }
  auto read = read_numbers(sections_, record, files_);
  if (!read) {
    warnings_.add(read.error());
    return std::move(read).error();
  }
  auto table = std::make_shared<const std::vector<FileId>>(std::move(*read));
  const std::lock_guard lock(mutex_);
  tables_.emplace(std::move(key), table);
  return table;
}

void UnitFiles::store(const UnitRecord& record, SnapshotFileWriter& index) {
  const auto table = of(record);
  index.array(table ? **table : std::vector<FileId>());
}

void UnitFiles::restore(const UnitRecord& record, SnapshotFileReader& index) {
  auto table = std::make_shared<std::vector<FileId>>();
  index.array(*table);
  if (!all_below(*table, files_.size() + 1)) index.fail();
  const std::lock_guard lock(mutex_);
  if (record.summary.unit.has_lines) tables_.emplace(key_of(record.summary), std::move(table));
}

}  // namespace gprof::dwarf
