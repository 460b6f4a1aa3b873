// The one table of settings: the server's, which every client has, and those of the editors that
// come with it. The server reads by it, and scripts/generate makes the editors' schemas and all
// documentation of it.
//
// A setting of the server is a row with a slot, and a member of ClientSettings, whose value there
// is the default, and of SettingsLayer. Thread contract: constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "server/protocol/settings.h"

namespace gprof::lsp {

// Where the server keeps it.
template <typename T, typename Kept = T>
struct SettingSlot {
  std::optional<T> SettingsLayer::*in_layer;
  Kept ClientSettings::*in_settings;
};
using ProgramsSlot = SettingSlot<std::vector<ProgramSettings>>;
using BaseSlot = SettingSlot<BaseSettings, std::optional<BaseSettings>>;
using AnySettingSlot =
    std::variant<std::monostate, SettingSlot<bool>, SettingSlot<double>, SettingSlot<Metric>,
                 SettingSlot<LogLevel>, ProgramsSlot, BaseSlot>;

// Clients that have a setting of their own.
enum class SettingClients : std::uint8_t { none, vscode, neovim, both };

struct SettingRow {
  std::string_view name;
  std::string_view text;  // in Markdown, of one line; whole sentences
  AnySettingSlot slot = {};
  // Of a row without a slot; with neither, it is a member of a setting, and there for its text.
  SettingClients clients = SettingClients::none;
  std::string_view type = {};   // boolean, integer, number, string or list
  std::string_view value = {};  // the default as JSON; empty: none
  // Of numbers.
  double least = 0;
  double most = 0;
  // Of the values of an enumeration, in its order, separated by '|'.
  std::string_view texts_of_values = {};
  // What is to be said in one place alone, behind the text.
  std::string_view in_vscode = {};
  std::string_view in_neovim = {};
  std::string_view scope = {};  // VS Code's
};

[[nodiscard]] std::span<const SettingRow> settings_table();

}  // namespace gprof::lsp
