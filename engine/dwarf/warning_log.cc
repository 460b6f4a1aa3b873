#include "engine/dwarf/warning_log.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof::dwarf {
namespace {

// More would not help a reader.
constexpr std::size_t most_warnings = 50;

}  // namespace

void WarningLog::add(const Error& warning) {
  const std::lock_guard lock(mutex_);
  if (std::find(warnings_.begin(), warnings_.end(), warning) != warnings_.end()) return;
  if (warnings_.size() < most_warnings) {
    warnings_.push_back(warning);
  } else {
    ++suppressed_;
  }
}

void WarningLog::add_missing_split_file(UnitIndex unit, const std::string& split_file) {
  const std::lock_guard lock(mutex_);
  if (units_without_split_file_.empty()) first_missing_ = split_file;
  units_without_split_file_.insert(unit);
}

Warnings WarningLog::all() const {
  const std::lock_guard lock(mutex_);
  Warnings all = warnings_;
  if (suppressed_ > 0) {
    all.push_back({ErrorCode::corrupt,
                   fmt::format("{} more damaged pieces of debug information", suppressed_),
                   program_path_,
                   {}});
  }
  if (const std::size_t count = units_without_split_file_.size(); count > 0) {
    all.push_back({ErrorCode::not_found,
                   fmt::format("{} keep{} functions in .dwo files that were not found (first: "
                               "{}): inlined calls and declared names are missing; build with "
                               "-gno-split-dwarf, or run dwp to put a package beside the program",
                               count == 1 ? "1 unit" : fmt::format("{} units", count),
                               count == 1 ? "s its" : " their", first_missing_),
                   program_path_,
                   {}});
  }
  return all;
}

}  // namespace gprof::dwarf
