// Split DWARF: finds the .dwo file or the share of PROGRAM.dwp for a skeleton unit.
//
// Ownership: keeps the package open once it was looked for; what is found in a .dwo file keeps that
// open. Thread contract: any thread; locked inside.
// Errors: not_found (neither file exists), mismatch (one exists, but from another build), and those
// of Image::open().
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_headers.h"

namespace gprof::dwarf {

struct SplitUnit {
  // Of the split file; addresses (and the ranges of DWARF 4) are in the program's own sections.
  DwarfSections sections;
  UnitHeader header;
};

class SplitUnits {
 public:
  SplitUnits(std::string program_path, const DwarfSections& program)
      : program_path_(std::move(program_path)), program_(program) {}

  // `split_id` is checked if the split file has its own in the header; in DWARF 4 it is in the unit
  // DIE, which the caller checks.
  [[nodiscard]] Expected<SplitUnit> find(const Unit& skeleton,
                                         std::optional<std::uint64_t> split_id);

 private:
  struct Package {
    DwarfSections sections;
    Bytes index;
  };
  [[nodiscard]] Expected<SplitUnit> find_in_package(std::uint64_t split_id);
  [[nodiscard]] Expected<SplitUnit> find_in_file(const Unit& skeleton,
                                                 std::optional<std::uint64_t> split_id) const;
  [[nodiscard]] Expected<SplitUnit> unit_in(DwarfSections sections,
                                            std::optional<std::uint64_t> split_id) const;
  void open_package();

  std::string program_path_;
  const DwarfSections& program_;
  std::mutex mutex_;
  bool package_looked_for_ = false;
  std::optional<Package> package_;
};

}  // namespace gprof::dwarf
