// Where a report writes its text: a buffer of fixed size that is passed to a sink whenever it is
// full, so that the text of a large program is never held as a whole.
//
// Columns of numbers are formatted here, not by a formatting library: a large program's report is
// made of little else. Their bytes are those of printf.
//
// Who wants to know what the parts of the text are gives a list for their ranges; without one they
// cost a branch each.
//
// Ownership: owns its buffer and the sink, borrows the list. Thread contract: one thread. Errors: a
// sink that wants no more says so; what is written after that is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/report/report_ranges.h"

namespace gprof {

// Takes the next piece of a text. Returns false to refuse any more.
using TextSink = std::function<bool(std::string_view)>;

class TextOutput {
 public:
  explicit TextOutput(TextSink sink, std::vector<ReportRange>* ranges = nullptr);
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;
  // Drops anything not flushed.
  ~TextOutput() = default;

  TextOutput& operator+=(std::string_view text) {
    if (text.size() > room()) return append_large(text);
    // An empty view may have a null pointer.
    if (text.empty()) return *this;
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  TextOutput& operator+=(char letter) {
    *reserve(1) = letter;
    ++at_;
    return *this;
  }
  void append(std::size_t count, char letter);
  void append_blanks(std::size_t count) {
    if (count > most_at_once) return append(count, ' ');
    // More than needed, which is faster than the exact number: what follows overwrites the rest.
    std::memset(reserve(most_at_once), ' ', most_at_once);
    at_ += count;
  }

  // At least `width` bytes, padded with blanks on the opposite side.
  void append_right(std::uint64_t number, std::size_t width);
  void append_left(std::uint64_t number, std::size_t width);
  // A number with one or two decimals, rounded like printf.
  void append_fixed(double number, unsigned decimals, std::size_t width);

  // What is written while it lives is one range of the text.
  class Mark {
   public:
    Mark(TextOutput& text, RangeKind kind, std::uint64_t subject = 0, LineNumber line = 0)
        : text_(text) {
      if (text_.ranges_ != nullptr) index_ = text_.begin_range(kind, subject, line);
    }
    ~Mark() {
      if (text_.ranges_ != nullptr) (*text_.ranges_)[index_].end = text_.size();
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    TextOutput& text_;
    std::size_t index_ = 0;
  };

  void append(RangeKind kind, std::string_view text, std::uint64_t subject = 0) {
    const Mark mark(*this, kind, subject);
    *this += text;
  }
  // A text that was written elsewhere, with its ranges.
  void append(std::string_view text, std::span<const ReportRange> ranges);
  // Another text begins, with the ranges that are wanted of it. To be called after flush().
  void restart(std::vector<ReportRange>* ranges) {
    ranges_ = ranges;
    handed_on_ = 0;
  }

  // Of all that has been written, in bytes.
  [[nodiscard]] std::uint64_t size() const {
    return handed_on_ + static_cast<std::uint64_t>(at_ - buffer_.get());
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] bool has_ranges() const { return ranges_ != nullptr; }
  // The sink wants no more: there is no use in writing.
  [[nodiscard]] bool stopped() const { return stopped_; }
  // Passes the contents of the buffer to the sink.
  void flush();

 private:
  static constexpr std::size_t buffer_size = std::size_t{1} << 16U;
  static constexpr std::size_t most_at_once = 32;
  class NumberField;

  [[nodiscard]] std::size_t room() const {
    return static_cast<std::size_t>(buffer_.get() + buffer_size - at_);
  }
  // Where the next `count` bytes go, at most buffer_size.
  [[nodiscard]] char* reserve(std::size_t count) {
    if (count > room()) flush();
    return at_;
  }
  TextOutput& append_large(std::string_view text);
  void append_field(const char* begin, std::size_t size);
  void append_fixed_slowly(double number, unsigned decimals, std::size_t width);
  [[nodiscard]] std::size_t begin_range(RangeKind kind, std::uint64_t subject, LineNumber line);

  TextSink sink_;
  std::unique_ptr<char[]> buffer_;
  char* at_;
  std::vector<ReportRange>* ranges_;  // null where nobody wants them
  std::uint64_t handed_on_ = 0;       // bytes
  bool stopped_ = false;
};

}  // namespace gprof
