// The secret that a TCP client must present before it is served.
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
  // The token in the file; if there is no file, a new one written there, for its owner only.
  // Errors: the file belongs to another user, others may read or write it, it is not a regular
  // file, or it holds no token.
  static Expected<std::shared_ptr<const AccessToken>> of_file(const std::string& path);

  // Constant-time comparison.
  [[nodiscard]] bool matches(std::string_view offered) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  explicit AccessToken(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace gprof::lsp
