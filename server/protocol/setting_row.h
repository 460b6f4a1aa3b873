// What is said of one setting: scripts/generate makes the editors' schemas and all documentation of
// it. Thread contract: plain values.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprof::lsp {

// Clients that have a setting of their own.
enum class SettingClients : std::uint8_t { none, vscode, neovim, both };

struct SettingRow {
  std::string_view name;
  std::string_view text;  // in Markdown, of one line; whole sentences
  // Of a setting of editors alone. With none, it is a setting of the server, or a member of one and
  // there for its text.
  SettingClients clients = SettingClients::none;
  std::string_view type = {};   // of editors' settings: boolean, integer, number, string or list
  std::string_view value = {};  // the same; the default as JSON; empty: none
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

}  // namespace gprof::lsp
