// What is said of one setting: it is read by that, and scripts/generate makes the editors' schemas
// and all documentation of it.
//
// A structure of settings holds their values, and describes its members: `Settings::rows(visit)`
// calls `visit(row, &Settings::member)` for each, and `visit(row)` for what is there to be
// documented alone. Thread contract: plain values.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprof::lsp {

// Clients that have a setting of their own.
enum class SettingClients : std::uint8_t { none, vscode, neovim, both };

struct SettingRow {
  std::string_view name;
  std::string_view text = {};  // in Markdown, of one line; whole sentences
  // Of a setting of editors alone.
  SettingClients clients = SettingClients::none;
  std::string_view type = {};    // of editors' settings: boolean, integer, number, string or list
  std::string_view value = {};   // the same; the default as JSON; empty: none
  std::string_view values = {};  // the same, of a string: those that it may have, separated by '|'
  // Of numbers.
  double least = 0;
  double most = 0;
  // Names that a text may hold, among others, separated by '|'.
  std::string_view suggestions = {};
  // What else it may hold: "the name of …".
  std::string_view other_values = {};
  // Of the values of an enumeration, or the suggestions, in their order, separated by '|'.
  std::string_view texts_of_values = {};
  // What is to be said in one place alone, behind the text.
  std::string_view in_vscode = {};
  std::string_view in_neovim = {};
  std::string_view scope = {};  // VS Code's
};

// visit(row, member) for each setting that the structure holds.
template <typename Settings, typename Visit>
void each_setting(const Visit& visit) {
  Settings::rows([&](const SettingRow& row, auto... member) {
    if constexpr (sizeof...(member) != 0) visit(row, member...);
  });
}

}  // namespace gprof::lsp
