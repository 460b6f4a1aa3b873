// Settings from several sources: each source is a layer that sets some of them; later layers win.
// `Settings` is a structure that describes its members (setting_row.h); what they hold at first is
// the default. Thread contract: as for any value.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "server/protocol/setting_row.h"

namespace gprof::lsp {

// What one source says. `problems` names each unknown key and wrong type, one sentence each; what
// is wrong is not set.
template <typename Settings>
class SettingsLayerOf {
 public:
  template <typename T>
  void set(T Settings::*member, T value) {
    each_setting<Settings>([&](const SettingRow& row, auto other) {
      if constexpr (std::is_same_v<decltype(other), T Settings::*>) {
        if (other == member) names_.insert(row.name);
      }
    });
    values_.*member = std::move(value);
  }

  void apply_to(Settings& settings) const {
    each_setting<Settings>([&](const SettingRow& row, auto member) {
      if (names_.contains(row.name)) settings.*member = values_.*member;
    });
  }

  // Lays another one over this.
  void add(const SettingsLayerOf& later) {
    later.apply_to(values_);
    names_.insert(later.names_.begin(), later.names_.end());
    problems.insert(problems.end(), later.problems.begin(), later.problems.end());
  }

  std::vector<std::string> problems;

 private:
  Settings values_;
  std::set<std::string_view> names_;  // of what it sets
};

}  // namespace gprof::lsp
