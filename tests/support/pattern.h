// Regular expressions of ECMAScript's kind, for tests. The one place that compiles the standard
// library's: every file that does so takes seconds more.
//
// ^ and $ stand at the ends of lines. Thread contract: any thread. Errors: a pattern that is none
// ends the test with an exception.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gprof::test {

// What a match holds: the whole of it, then each group, empty where it took no part.
using Groups = std::vector<std::string>;

class Pattern {
 public:
  explicit Pattern(const std::string& text);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // The first match in the text.
  [[nodiscard]] std::optional<Groups> search(const std::string& text) const;
  // Of the text from its beginning to its end.
  [[nodiscard]] std::optional<Groups> match(const std::string& text) const;
  [[nodiscard]] std::vector<Groups> all_in(const std::string& text) const;

 private:
  struct Compiled;
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace gprof::test
