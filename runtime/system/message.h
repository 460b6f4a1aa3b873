// The one line per process that the collector writes to standard error, and text without libc.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gprof_runtime {

// Builds a text in the caller's memory; drops what does not fit. Always zero-terminated.
class FixedText {
 public:
  // Precondition: size > 0.
  FixedText(char* characters, std::size_t size) : characters_(characters), size_(size) {
    characters_[0] = '\0';
  }
  FixedText& add(const char* text) {
    while (*text != '\0' && length_ + 1 < size_) characters_[length_++] = *text++;
    cut_ = cut_ || *text != '\0';
    characters_[length_] = '\0';
    return *this;
  }
  // Adds the first `length` characters of the text, which must be at least that long.
  FixedText& add(const char* text, std::size_t length) {
    for (; length != 0 && length_ + 1 < size_; --length) characters_[length_++] = *text++;
    cut_ = cut_ || length != 0;
    characters_[length_] = '\0';
    return *this;
  }
  FixedText& add(std::uint64_t number) {
    char digits[24];
    std::size_t first = sizeof digits - 1;
    digits[first] = '\0';
    do {
      digits[--first] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    return add(digits + first);
  }
  void clear() {
    length_ = 0;
    cut_ = false;
    characters_[0] = '\0';
  }
  [[nodiscard]] const char* c_str() const { return characters_; }
  [[nodiscard]] std::size_t size() const { return length_; }
  // Whether something was dropped.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  char* characters_;
  std::size_t size_;
  std::size_t length_ = 0;
  bool cut_ = false;
};

// The same with its own memory.
template <std::size_t Size>
class Text : public FixedText {
 public:
  Text() : FixedText(buffer_, Size) {}
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  [[nodiscard]] bool full() const { return cut() || size() + 1 >= Size; }

 private:
  char buffer_[Size];
};

// Writes "gprof: WHAT: WHERE: the error's text" as one line, once per process: later calls do
// nothing. `error` is a positive errno, 0 for none; `where` may be null.
void report_problem(const char* what, const char* where, int error);

// Tells `gprof-lsp record` alone, which says it in its last line where samples are missing.
void note_problem(const char* message);

// Reports nothing more, or does again: programs that count nothing are not to be heard.
void be_silent(bool silent);

// Lets a forked child write its own line.
void allow_another_report();

}  // namespace gprof_runtime
