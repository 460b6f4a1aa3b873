// ECMAScript regular expressions for tests. The only place that includes <regex>, which costs
// seconds of compile time per file.
//
// ^ and $ match at line ends. Thread contract: any thread. Errors: an invalid pattern ends the test
// with an exception.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gprof::test {

// A match: the whole, then each group, empty if it did not participate.
using Groups = std::vector<std::string>;

class Pattern {
 public:
  explicit Pattern(const std::string& text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // The first match in the text.
  [[nodiscard]] std::optional<Groups> search(const std::string& text) const;
  // A match of the whole text.
  [[nodiscard]] std::optional<Groups> match(const std::string& text) const;
  [[nodiscard]] std::vector<Groups> all_in(const std::string& text) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace gprof::test
