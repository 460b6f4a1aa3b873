// The word that a client over TCP has to know before it is answered.
//
// Thread contract: immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/support/expected.h"

namespace gprof::lsp {

class AccessToken {
 public:
  // 128 bits from the kernel's random source, as hexadecimal digits.
  static Expected<std::shared_ptr<const AccessToken>> make();
  // The token in the file; where there is no file, a new one that is written there for its owner
  // alone. Errors: the file is another user's, others may read or write it, it is no regular file,
  // or it holds no token.
  static Expected<std::shared_ptr<const AccessToken>> of_file(const std::string& path);

  // Takes the same time whatever is offered.
  [[nodiscard]] bool matches(std::string_view offered) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  explicit AccessToken(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace gprof::lsp
