#include "server/cli/option_words.h"

#include <algorithm>

namespace gprof::lsp {

std::string_view first_clause(std::string_view help) {
  return help.substr(0, std::min({help.find("; "), help.find(": "), help.find(" (")}));
}

std::string joined(const std::vector<std::string>& items, std::string_view between) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += between;
    text += item;
  }
  return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace gprof::lsp
