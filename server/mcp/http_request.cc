#include "server/mcp/http_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace gprof::lsp {
namespace {

constexpr std::size_t most_fields = 100;

char in_lower_case(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), in_lower_case);
  return lower;
}

// RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char letter) {
    const char lower = in_lower_case(letter);
    return (lower >= 'a' && lower <= 'z') || (letter >= '0' && letter <= '9') ||
           marks.find(letter) != std::string_view::npos;
  });
}

bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return letter == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

bool take_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  request.keeps_alive = version == "HTTP/1.1";
  return is_token(request.method) && !request.target.empty() &&
         request.target.find(' ') == std::string::npos && is_field_value(request.target) &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

// -1 for what is no digit.
int base64_digit(char letter) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t found = digits.find(letter);
  return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

// RFC 4648, section 4.
std::optional<std::string> base64_decoded(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char letter : text) {
    const int digit = base64_digit(letter);
    if (digit < 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xffU);
  }
  return bytes;
}

}  // namespace

const std::string* HttpRequest::field(std::string_view name) const {
  const auto found = std::ranges::find(
      fields, name, [](const auto& field) { return std::string_view(field.first); });
  return found == fields.end() ? nullptr : &found->second;
}

std::optional<HttpRequest> parse_http_request(std::string_view head) {
  HttpRequest request;
  const auto first = take_line(head);
  if (!first || !take_request_line(*first, request)) return std::nullopt;
  while (const auto line = take_line(head)) {
    if (line->empty()) break;
    const std::size_t colon = line->find(':');
    if (colon == std::string_view::npos || request.fields.size() == most_fields) {
      return std::nullopt;
    }
    const std::string_view name = line->substr(0, colon);
    const std::string_view value = trimmed(line->substr(colon + 1));
    if (!is_token(name) || !is_field_value(value)) return std::nullopt;
    // Two lengths, or two tokens, would leave it to the reader which one counts.
    if (request.field(lower_case(name)) != nullptr) return std::nullopt;
    request.fields.emplace_back(lower_case(name), value);
  }
  if (const std::string* connection = request.field("connection")) {
    const std::string wanted = lower_case(*connection);
    if (wanted == "close") request.keeps_alive = false;
    if (wanted == "keep-alive") request.keeps_alive = true;
  }
  return request;
}

std::optional<std::size_t> content_length(const HttpRequest& request) {
  const std::string* text = request.field("content-length");
  if (text == nullptr || request.field("transfer-encoding") != nullptr) return std::nullopt;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), length);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return length;
}

std::optional<std::string> decoded_field(std::string_view value) {
  constexpr std::string_view begin = "=?base64?";
  constexpr std::string_view end = "?=";
  const bool is_encoded =
      value.size() >= begin.size() + end.size() && value.starts_with(begin) && value.ends_with(end);
  if (!is_encoded) return std::string(value);
  return base64_decoded(value.substr(begin.size(), value.size() - begin.size() - end.size()));
}

}  // namespace gprof::lsp
