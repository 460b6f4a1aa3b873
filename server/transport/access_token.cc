#include "server/transport/access_token.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/support/hexadecimal.h"

namespace gprof::lsp {
namespace {

using Made = Expected<std::shared_ptr<const AccessToken>>;

constexpr std::size_t random_bytes = 16;
// Tokens made up by others must not be easier to guess.
constexpr std::size_t shortest_token = 2 * random_bytes;
constexpr std::size_t longest_token = 1024;
constexpr mode_t owner_alone = 0600;
constexpr mode_t all_others = 077;

class TokenFile {
 public:
  explicit TokenFile(int number) : number_(number) {}
  ~TokenFile() {
    if (number_ >= 0) ::close(number_);
  }
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

Error unusable_token(const std::string& path, std::string what) {
  return {ErrorCode::unreadable, std::move(what), path, {}};
}

Error token_trouble(const std::string& path, std::string_view what) {
  return unusable_token(path, fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

Expected<std::string> token_in(int file, const std::string& path) {
  struct stat status = {};
  if (::fstat(file, &status) != 0) return token_trouble(path, "the token cannot be read");
  if (!S_ISREG(status.st_mode)) return unusable_token(path, "expected a regular file with a token");
  if (status.st_uid != ::geteuid() || (status.st_mode & all_others) != 0) {
    return unusable_token(
        path,
        "a file with a token must belong to the user who starts the server, and nobody "
        "else may read or write it (chmod 600)");
  }
  std::array<char, longest_token + 1> bytes{};
  const ssize_t size = ::read(file, bytes.data(), bytes.size());
  if (size < 0) return token_trouble(path, "the token cannot be read");
  std::string text(bytes.data(), static_cast<std::size_t>(size));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
  if (!printable || text.size() < shortest_token || text.size() > longest_token) {
    return unusable_token(path,
                          fmt::format("expected a token of {} to {} printable characters without "
                                      "spaces; without the file, the server makes one",
                                      shortest_token, longest_token));
  }
  return text;
}

Expected<void> write_token(int file, const std::string& text, const std::string& path) {
  const std::string line = text + "\n";
  const ssize_t written = ::write(file, line.data(), line.size());
  if (written == static_cast<ssize_t>(line.size())) return {};
  const Error error = token_trouble(path, "the token cannot be written");
  ::unlink(path.c_str());
  return error;
}

}  // namespace

Made AccessToken::make() {
  std::array<unsigned char, random_bytes> bytes{};
  ssize_t size = 0;
  do {
    size = ::getrandom(bytes.data(), bytes.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(bytes.size())) {
    return token_trouble({}, "the system gives no random bytes for a token");
  }
  return std::shared_ptr<const AccessToken>(
      new AccessToken(hexadecimal(std::as_bytes(std::span(bytes)))));
}

Made AccessToken::of_file(const std::string& path) {
  constexpr int common = O_CLOEXEC | O_NOFOLLOW;
  // A FIFO must not block the server.
  const TokenFile known(::open(path.c_str(), O_RDONLY | O_NONBLOCK | common));
  if (known.number() >= 0) {
    auto text = token_in(known.number(), path);
    if (!text) return std::move(text).error();
    return std::shared_ptr<const AccessToken>(new AccessToken(std::move(*text)));
  }
  if (errno != ENOENT) return token_trouble(path, "the token cannot be read");
  const TokenFile file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | common, owner_alone));
  if (file.number() < 0) return token_trouble(path, "the token cannot be written");
  auto made = make();
  if (!made) return made;
  if (auto written = write_token(file.number(), (*made)->text(), path); !written) {
    return written.error();
  }
  return made;
}

bool AccessToken::matches(std::string_view offered) const {
  unsigned difference = offered.size() == text_.size() ? 0 : 1;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char other = i < offered.size() ? offered[i] : '\0';
    difference |= static_cast<unsigned char>(text_[i] ^ other);
  }
  return difference == 0;
}

}  // namespace gprof::lsp
