// What all commands' tables promise, and that nothing else describes an option.
#include "server/cli/command_list.h"

#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/completions.h"
#include "server/cli/manual_page.h"
#include "server/cli/option_help.h"
#include "tests/support/files.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

namespace fs = std::filesystem;

const fs::path docs = repository() / "docs";

std::string page_of(const CommandSyntax& syntax) {
  // Two commands share a page.
  const std::string_view name = syntax.name == "recover" ? "record" : syntax.name;
  const std::string file =
      name.empty() || name == "help" ? "gprof-lsp.1.in" : fmt::format("gprof-lsp-{}.1.in", name);
  INFO(file);
  const std::string page = read_file(docs / file);
  REQUIRE_FALSE(page.empty());
  const auto filled = filled_manual_page(page, command_syntaxes());
  REQUIRE(filled);
  return *filled;
}

std::string escaped(std::string_view text) {
  std::string roff;
  for (const char letter : text)
    roff += letter == '-' ? std::string("\\-") : std::string(1, letter);
  return roff;
}

std::string lines_with(const std::string& text, std::string_view part) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.find(part) != std::string::npos) lines += line + '\n';
    begin = end + 1;
  }
  return lines;
}

// Not followed by another letter or digit.
bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool goes_on = end < text.size() && (std::isalnum(text[end]) != 0 || text[end] == '-');
    if (!goes_on || word.size() == 2) return true;
  }
  return false;
}

std::vector<std::string> spellings(const OptionRow& row) {
  std::vector<std::string> words;
  if (row.letter != 0) words.push_back(fmt::format("-{}", row.letter));
  if (!row.name.empty()) words.push_back(fmt::format("--{}", row.name));
  return words;
}

}  // namespace

TEST_CASE("commands: each has a name, one line, a usage, --help and options of its own") {
  const auto commands = command_syntaxes();
  REQUIRE(commands.size() == 10);
  CHECK(commands.front().name.empty());
  const std::string server_help = help_text(commands.front());
  std::set<std::string_view> names;
  for (const CommandSyntax& command : commands) {
    CAPTURE(command.name);
    CHECK(names.insert(command.name).second);
    CHECK_FALSE(command.summary.empty());
    CHECK_FALSE(command.usage.empty());
    if (!command.name.empty()) {
      CHECK(server_help.find(fmt::format("\n  {} ", command.name)) != std::string::npos);
    }
    std::set<std::string> words;
    bool helps = false;
    for_each_option(command, [&](const OptionRow& row) {
      for (const std::string& word : spellings(row)) CHECK(words.insert(word).second);
      CHECK_FALSE(row.help.empty());
      CHECK((row.value.use == ValueUse::none) == row.value.name.empty());
      CHECK((row.role == OptionRole::setting) == static_cast<bool>(row.value.set));
      helps = helps || row.role == OptionRole::help;
    });
    CHECK(helps);
    const std::string help = help_text(command);
    for (std::size_t begin = 0; begin < help.size();) {
      const std::size_t end = help.find('\n', begin);
      INFO(help.substr(begin, end - begin));
      CHECK(end - begin <= 80);
      begin = end + 1;
    }
  }
}

TEST_CASE("commands: help, manual page and completions tell of every option") {
  const auto commands = command_syntaxes();
  const std::string bash = bash_completion(commands);
  const std::string zsh = zsh_completion(commands);
  const std::string fish = fish_completion(commands);
  for (const CommandSyntax& command : commands) {
    const std::string help = help_text(command);
    // `help` and `recover` only have --help, which needs no page.
    const bool plain = command.name == "help" || command.name == "recover";
    const std::string page = plain ? manual_options(command) : page_of(command);
    const std::string name(command.name);
    const std::string bash_part = lines_with(bash, fmt::format("'{}') options='", name));
    const std::size_t zsh_begin = zsh.find(name.empty() ? "\n    *)\n" : "\n    " + name + ")\n");
    REQUIRE(zsh_begin != std::string::npos);
    const std::string zsh_part = zsh.substr(zsh_begin, zsh.find(";;", zsh_begin) - zsh_begin);
    const std::string fish_part =
        lines_with(fish, fmt::format("'__gprof_lsp_is {}'", name.empty() ? "server" : name));
    for_each_option(command, [&](const OptionRow& row) {
      for (const std::string& word : spellings(row)) {
        CAPTURE(name, word);
        CHECK(has_word(help, word));
        CHECK(page.find("\\fB" + escaped(word) + "\\fR") != std::string::npos);
        CHECK(has_word(bash_part, word));
        CHECK(has_word(zsh_part, word));
        const bool is_long = word.starts_with("--");
        const std::string in_fish = (is_long ? " -l " : " -s ") + word.substr(is_long ? 2 : 1);
        CHECK(fish_part.find(in_fish + ' ') != std::string::npos);
      }
    });
  }
}

TEST_CASE("commands: manual pages describe no option by hand") {
  for (const auto& entry : fs::directory_iterator(docs)) {
    if (!entry.path().string().ends_with(".1.in")) continue;
    INFO(entry.path().string());
    const std::string page = read_file(entry.path());
    CHECK(page.find("\n@options ") != std::string::npos);
    CHECK(page.find("\n@synopsis ") != std::string::npos);
    CHECK(page.find(".TP\n\\fB\\-") == std::string::npos);
    CHECK(page.find(".TP\n.B \\-") == std::string::npos);
  }
}
