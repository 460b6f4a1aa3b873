// What went wrong while units were read: each problem once, and a limited number of them.
//
// Thread contract: any thread; locked inside.
#pragma once

#include <mutex>
#include <set>
#include <string>

#include "engine/dwarf/debug_information.h"

namespace gprof::dwarf {

class WarningLog {
 public:
  explicit WarningLog(std::string program_path) : program_path_(std::move(program_path)) {}

  void add(const Error& warning);
  // The functions of `unit` were asked for, but its split file was missing.
  void add_missing_split_file(UnitIndex unit, const std::string& split_file);
  [[nodiscard]] Warnings all() const;

 private:
  std::string program_path_;
  mutable std::mutex mutex_;
  Warnings warnings_;
  std::size_t suppressed_ = 0;
  std::set<UnitIndex> units_without_split_file_;
  std::string first_missing_;
};

}  // namespace gprof::dwarf
