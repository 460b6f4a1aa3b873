// A pipe from a program that this process runs.
//
// Ownership: closes both ends, which no other program inherits. Thread contract: one thread.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace gprof::lsp {

class Pipe {
 public:
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_input();
    close_output();
  }
  bool open() { return ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  [[nodiscard]] int output() const { return ends_[0]; }
  [[nodiscard]] int input() const { return ends_[1]; }
  [[nodiscard]] bool is_open() const { return ends_[0] >= 0; }
  void close_input() { close(ends_[1]); }
  void close_output() { close(ends_[0]); }

  // False once nothing more comes. At most what is there; waits for something.
  bool read(std::string& text) {
    std::array<char, 4096> block;
    const ssize_t size = ::read(ends_[0], block.data(), block.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (size <= 0) return false;
    text.append(block.data(), static_cast<std::size_t>(size));
    return true;
  }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

}  // namespace gprof::lsp
