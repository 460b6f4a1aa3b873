#include "server/protocol/json_text.h"

#include <string>

#include <catch2/catch.hpp>

using namespace gprof;
using namespace gprof::lsp;

namespace {

std::string parsed_string(const std::string& text) {
  const auto json = parse_json(text);
  REQUIRE(json);
  REQUIRE(json->is_string());
  return json->get<std::string>();
}

const std::string replacement = "\xEF\xBF\xBD";

}  // namespace

TEST_CASE("what is no JSON is an error") {
  for (const char* text : {"", "{", "nul", "{\"a\":}", "[1,]", "\"\x01\"", "{} {}", "\"\\x\""}) {
    CAPTURE(text);
    const auto json = parse_json(text);
    REQUIRE_FALSE(json);
    CHECK(json.error().code == ErrorCode::wrong_format);
  }
}

TEST_CASE("depth and number of values are bounded") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(parse_json(nested(100)));
  CHECK_FALSE(parse_json(nested(101)));
  CHECK_FALSE(parse_json(nested(10'000'000)));
  CHECK(parse_json("[1,2,3]", {10, 5}));
  CHECK_FALSE(parse_json("[1,2,3,4,5]", {10, 5}));
  // Brackets and commas in strings do not count.
  CHECK(parse_json("\"[[[[,,,,\\\"[[[\"", {1, 2}));
}

TEST_CASE("damaged text becomes the replacement character") {
  CHECK(parsed_string("\"a\xFF"
                      "b\"") == "a" + replacement + "b");
  CHECK(parsed_string("\"\xC3\"") == replacement);
  CHECK(parsed_string("\"\\ud800x\"") == replacement + "x");
  CHECK(parsed_string("\"\\udc00\"") == replacement);
  CHECK(parsed_string("\"\\ud800\\u0041\"") == replacement + "A");
  CHECK(parsed_string("\"\\uD83D\\uDE00\xFF\"") == "\xF0\x9F\x98\x80" + replacement);
  // Looks like an escape but is not one.
  CHECK(parsed_string("\"\\\\ud800\xFF\"") == "\\ud800" + replacement);
  CHECK_FALSE(parse_json("\"\\\xFF\""));
  CHECK_FALSE(parse_json("\"\\ud8"));
  CHECK_FALSE(parse_json("\"\\"));
}

TEST_CASE("text that is no UTF-8 can be written") {
  CHECK(json_text(Json{{"a", "x\xFF"}}) == "{\"a\":\"x" + replacement + "\"}");
}
