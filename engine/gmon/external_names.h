// Code of other modules than the program: its names, and those that a profile itself gives it.
//
// Units: places of functions, as on stacks in the innermost frame; in the others the byte before.
// Thread contract: value types.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/gmon/sidecar.h"

namespace gprof {

using ExternalNames = std::map<ModuleAddress, std::string>;

// A function of another module, or all its code of which no function is known.
struct ExternalCode {
  std::string module;    // the file's name; empty if it is not known
  std::string function;  // linkage name, or as the profile has it; empty if it is not known

  friend auto operator<=>(const ExternalCode&, const ExternalCode&) = default;
};

// Each once, numbered from 0.
class ExternalCodeList {
 public:
  [[nodiscard]] std::size_t size() const { return codes_.size(); }
  [[nodiscard]] const ExternalCode& operator[](std::size_t number) const { return codes_[number]; }
  [[nodiscard]] const std::vector<ExternalCode>& codes() const { return codes_; }
  // Adds it if it is not there yet.
  std::uint32_t number_of(const ExternalCode& code) {
    const auto [place, is_new] =
        numbers_.try_emplace(code, static_cast<std::uint32_t>(codes_.size()));
    if (is_new) codes_.push_back(code);
    return place->second;
  }

 private:
  std::vector<ExternalCode> codes_;
  std::map<ExternalCode, std::uint32_t> numbers_;
};

}  // namespace gprof
