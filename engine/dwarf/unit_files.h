// The source files of units, by the numbers that their line tables give them.
//
// Ownership: borrows the sections, files and warnings. Thread contract: any thread; locked inside.
// Errors: corrupt, unsupported; the warnings name the damaged line table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/dwarf/source_files.h"
#include "engine/dwarf/unit_records.h"
#include "engine/dwarf/warning_log.h"
#include "engine/support/snapshot_file.h"

namespace gprof::dwarf {

class UnitFiles {
 public:
  using Table = std::shared_ptr<const std::vector<FileId>>;

  UnitFiles(const DwarfSections& sections, SourceFiles& files, WarningLog& warnings)
      : sections_(sections), files_(files), warnings_(warnings) {}

  // Reads the header of the unit's line table, once; empty if it has none.
  [[nodiscard]] Expected<Table> of(const UnitRecord& record);

  void store(const UnitRecord& record, SnapshotFileWriter& index);
  // What store() wrote for the same unit.
  void restore(const UnitRecord& record, SnapshotFileReader& index);

 private:
  const DwarfSections& sections_;
  SourceFiles& files_;
  WarningLog& warnings_;
  std::mutex mutex_;
  // By the offset of the line table and the compilation directory, which units may share.
  std::map<std::pair<std::uint64_t, std::string>, Table> tables_;
};

}  // namespace gprof::dwarf
