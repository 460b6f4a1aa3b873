// How a command of gprof-lsp understands words of its command line.
//
// Thread contract: the test's thread. Errors: a test fails where options are wanted of words that
// are refused.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/option_parser.h"

namespace gprof::test {

using Words = std::vector<std::string_view>;

template <typename Options>
Options options_in(const lsp::ParsedLine<Options>& line) {
  if (const auto* error = std::get_if<lsp::UsageError>(&line)) FAIL(error->message);
  REQUIRE(std::holds_alternative<Options>(line));
  return *std::get_if<Options>(&line);
}

// Empty if there is none.
template <typename Options>
std::string error_in(const lsp::ParsedLine<Options>& line) {
  const auto* error = std::get_if<lsp::UsageError>(&line);
  return error == nullptr ? "" : error->message;
}

template <typename Options>
struct CommandWords {
  lsp::CommandSyntax (*syntax)(Options&);

  lsp::ParsedLine<Options> parse(const Words& words) const { return parse_line(syntax, words); }
  Options options(const Words& words) const { return options_in<Options>(parse(words)); }
  std::string error(const Words& words) const { return error_in<Options>(parse(words)); }
  bool asks_for_help(const Words& words) const {
    return std::holds_alternative<lsp::HelpRequest>(parse(words));
  }
};

}  // namespace gprof::test
