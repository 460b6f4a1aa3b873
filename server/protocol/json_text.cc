#include "server/protocol/json_text.h"

#include <optional>

#include <fmt/format.h>

#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";
constexpr std::string_view escaped_replacement = "\\ufffd";

// Counts before anything is built: the parser would allocate first.
std::optional<std::string> excess(std::string_view text, JsonLimits limits) {
  std::size_t depth = 0;
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == ',' || c == '[' || c == '{') ++values;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > limits.depth) {
      return fmt::format("values are nested more than {} deep at byte {}", limits.depth, i);
    }
    if (values > limits.values) return fmt::format("more than {} values", limits.values);
  }
  return std::nullopt;
}

// The four hexadecimal digits at `at`, or nothing.
std::optional<unsigned> hex_unit(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return std::nullopt;
  unsigned unit = 0;
  for (const char c : text.substr(at, 4)) {
    unit <<= 4;
    if (c >= '0' && c <= '9') {
      unit |= static_cast<unsigned>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      unit |= static_cast<unsigned>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      unit |= static_cast<unsigned>(c - 'A' + 10);
    } else {
      return std::nullopt;
    }
  }
  return unit;
}

// The length of the escape sequence at `at`, where text[at] is a backslash; `broken` if it is half
// of a surrogate pair without the other.
std::size_t escape_length(std::string_view text, std::size_t at, bool& broken) {
  broken = false;
  if (at + 1 >= text.size()) return 1;
  if (text[at + 1] != 'u') return 2;
  const auto unit = hex_unit(text, at + 2);
  if (!unit) return 2;
  if (*unit < 0xD800 || *unit > 0xDFFF) return 6;
  if (*unit < 0xDC00 && text.substr(at + 6, 2) == "\\u") {
    const auto second = hex_unit(text, at + 8);
    if (second && *second >= 0xDC00 && *second <= 0xDFFF) return 12;
  }
  broken = true;
  return 6;
}

std::string repaired(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\') {
      bool broken = false;
      // A backslash may precede a byte that is not UTF-8: then it is copied alone.
      std::size_t length = escape_length(text, i, broken);
      if (length == 2 && static_cast<unsigned char>(text[i + 1]) >= 0x80) length = 1;
      result += broken ? escaped_replacement : text.substr(i, length);
      i += length;
      continue;
    }
    const Utf8Character character = utf8_character(text, i);
    result += character.valid ? text.substr(i, character.size) : replacement_character;
    i += character.size;
  }
  return result;
}

}  // namespace

Expected<Json> parse_json(std::string_view text, JsonLimits limits) {
  if (auto problem = excess(text, limits)) {
    return Error{ErrorCode::wrong_format, "the message is refused: " + *problem, {}, {}};
  }
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_discarded()) return json;
  const std::string second_try = repaired(text);
  if (second_try != text) json = Json::parse(second_try, nullptr, false);
  if (json.is_discarded()) return Error{ErrorCode::wrong_format, "not valid JSON", {}, {}};
  return json;
}

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gprof::lsp
