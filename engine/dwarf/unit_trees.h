// The trees of a program's units, whoever asks for them: editor features and reports by lines.
//
// Keeps those that other units refer to. With link-time optimisation, every unit with code refers
// to the units that declare it, and without this, each of those would be read once per unit with
// code. Callers keep what they make of the others.
//
// Ownership: borrows what it is made of. Thread contract: any thread; locked inside.
// Errors: those of read_die_tree(); the warnings name them.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/dwarf/die_tree.h"
#include "engine/dwarf/split_units.h"
#include "engine/dwarf/unit_records.h"
#include "engine/dwarf/warning_log.h"

namespace gprof::dwarf {

class UnitTrees {
 public:
  using Tree = std::shared_ptr<const DieTree>;

  UnitTrees(const DwarfSections& sections, const std::vector<UnitRecord>& records,
            const CodeFilter& code, std::string program_path, WarningLog& warnings)
      : sections_(sections),
        records_(records),
        code_(code),
        split_units_(std::move(program_path), sections),
        warnings_(warnings) {}

  // With the entries of the split unit if the unit is a skeleton. `record` is one of the records.
  [[nodiscard]] Expected<Tree> of_unit(UnitIndex unit, const UnitRecord& record);
  // The tree of the unit that contains this offset of .debug_info; null if it cannot be read.
  [[nodiscard]] Tree at(std::uint64_t offset);
  // How many trees were read, each as often as it was.
  [[nodiscard]] std::uint64_t reads() const { return reads_; }

 private:
  [[nodiscard]] Expected<Tree> read(const UnitRecord& record);
  [[nodiscard]] Expected<Tree> read_split(const UnitRecord& record);
  [[nodiscard]] Expected<Tree> read_entries(FormValues& values, Language language,
                                            const UnitRecord& record, bool is_split);

  // About 250 MB.
  static constexpr std::size_t most_nodes = 2'000'000;

  const DwarfSections& sections_;
  const std::vector<UnitRecord>& records_;
  const CodeFilter& code_;
  SplitUnits split_units_;
  WarningLog& warnings_;
  std::atomic<std::uint64_t> reads_ = 0;

  std::mutex mutex_;
  std::map<std::uint64_t, Expected<Tree>> kept_;  // by the offset of the unit's header
  std::size_t node_count_ = 0;
};

}  // namespace gprof::dwarf
