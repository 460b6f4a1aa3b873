#include "server/protocol/uri.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letters(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (text[i] == '\0') return std::nullopt;
      result += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

std::string percent_encoded(std::string_view text, std::string_view kept) {
  std::string result;
  for (const char c : text) {
    if (unreserved(c) || kept.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::optional<std::filesystem::path> path_from_uri(std::string_view uri) {
  constexpr std::string_view scheme = "file:";
  if (uri.size() < scheme.size() || !same_letters(uri.substr(0, scheme.size()), scheme)) return {};
  std::string_view rest = uri.substr(scheme.size());
  rest = rest.substr(0, rest.find_first_of("?#"));
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return {};
    const std::string_view authority = rest.substr(0, slash);
    if (!authority.empty() && !same_letters(authority, "localhost")) return {};
    rest.remove_prefix(slash);
  }
  if (!rest.starts_with('/')) return {};
  auto path = percent_decoded(rest);
  if (!path) return {};
  return std::filesystem::path(std::move(*path));
}

std::string uri_from_path(const std::filesystem::path& path) {
  return "file://" + percent_encoded(path.native(), "/");
}

}  // namespace gprof::lsp
