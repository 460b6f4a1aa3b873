#include "tests/support/pattern.h"

#include <regex>

namespace gprof::test {
namespace {

Groups groups_of(const std::smatch& match) { return {match.begin(), match.end()}; }

}  // namespace

struct Pattern::Compiled {
  std::regex regex;
};

Pattern::Pattern(const std::string& text)
    : compiled_(new Compiled{std::regex(text, std::regex::ECMAScript | std::regex::multiline)}) {}

Pattern::~Pattern() = default;

std::optional<Groups> Pattern::search(const std::string& text) const {
  std::smatch match;
  if (!std::regex_search(text, match, compiled_->regex)) return std::nullopt;
  return groups_of(match);
}

std::optional<Groups> Pattern::match(const std::string& text) const {
  std::smatch match;
  if (!std::regex_match(text, match, compiled_->regex)) return std::nullopt;
  return groups_of(match);
}

std::vector<Groups> Pattern::all_in(const std::string& text) const {
  std::vector<Groups> found;
  const std::sregex_iterator first(text.begin(), text.end(), compiled_->regex);
  for (std::sregex_iterator match = first; match != std::sregex_iterator(); ++match) {
    found.push_back(groups_of(*match));
  }
  return found;
}

}  // namespace gprof::test
