#include "engine/report/text_output.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace gprof {
namespace {

constexpr std::array<char, 200> make_pairs_of_digits() {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}

constexpr std::array<char, 200> pairs_of_digits = make_pairs_of_digits();

// Whether a number rounds to n or n + 1 hundredths (or tenths) shows in a product with an error far
// below this; closer to the midpoint, printf decides.
constexpr double widest_doubt = 1e-6;
constexpr double largest_exact_product = 1e9;

}  // namespace

// The digits of a number, written from last to first, with blanks around them.
class TextOutput::NumberField {
 public:
  NumberField() { std::memset(bytes_.data(), ' ', bytes_.size()); }

  void put(char letter) { *--begin_ = letter; }
  void put_pair(std::uint64_t below_100) {
    begin_ -= 2;
    std::memcpy(begin_, &pairs_of_digits[2 * below_100], 2);
  }
  void put_number(std::uint64_t number) {
    while (number >= 100) {
      put_pair(number % 100);
      number /= 100;
    }
    if (number >= 10) {
      put_pair(number);
    } else {
      put(static_cast<char>('0' + number));
    }
  }

  [[nodiscard]] const char* begin() const { return begin_; }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(bytes_.data() + most_at_once - begin_);
  }
  // Starts `size` bytes before the end of the digits.
  [[nodiscard]] const char* last(std::size_t size) const {
    return bytes_.data() + most_at_once - size;
  }

 private:
  std::array<char, 2 * most_at_once> bytes_;
  char* begin_ = bytes_.data() + most_at_once;
};

TextOutput::TextOutput(TextSink sink, std::vector<ReportRange>* ranges)
    : sink_(std::move(sink)),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_size)),
      at_(buffer_.get()),
      ranges_(ranges) {}

void TextOutput::flush() {
  const std::string_view text(buffer_.get(), static_cast<std::size_t>(at_ - buffer_.get()));
  at_ = buffer_.get();
  if (text.empty()) return;
  handed_on_ += text.size();
  if (!stopped_) stopped_ = !sink_(text);
}

TextOutput& TextOutput::append_large(std::string_view text) {
  while (!text.empty()) {
    if (room() == 0) flush();
    const std::string_view piece = text.substr(0, room());
    std::memcpy(at_, piece.data(), piece.size());
    at_ += piece.size();
    text.remove_prefix(piece.size());
  }
  return *this;
}

void TextOutput::append(std::string_view text, std::span<const ReportRange> ranges) {
  const std::uint64_t begin = size();
  *this += text;
  if (ranges_ == nullptr) return;
  for (ReportRange range : ranges) {
    range.begin += begin;
    range.end += begin;
    ranges_->push_back(range);
  }
}

std::size_t TextOutput::begin_range(RangeKind kind, std::uint64_t subject, LineNumber line) {
  ranges_->push_back({kind, line, subject, size(), size()});
  return ranges_->size() - 1;
}

void TextOutput::append(std::size_t count, char letter) {
  while (count > 0) {
    if (room() == 0) flush();
    const std::size_t piece = std::min(count, room());
    std::memset(at_, letter, piece);
    at_ += piece;
    count -= piece;
  }
}

// Copies more than needed, like append_blanks(). `begin` must be followed by that many bytes.
void TextOutput::append_field(const char* begin, std::size_t size) {
  std::memcpy(reserve(most_at_once), begin, most_at_once);
  at_ += size;
}

void TextOutput::append_right(std::uint64_t number, std::size_t width) {
  NumberField field;
  field.put_number(number);
  const std::size_t size = std::clamp(width, field.size(), most_at_once);
  if (width > size) append_blanks(width - size);
  append_field(field.last(size), size);
}

void TextOutput::append_left(std::uint64_t number, std::size_t width) {
  NumberField field;
  field.put_number(number);
  const std::size_t size = std::clamp(width, field.size(), most_at_once);
  append_field(field.begin(), size);
  if (width > size) append_blanks(width - size);
}

void TextOutput::append_fixed(double number, unsigned decimals, std::size_t width) {
  const double scaled = number * (decimals == 1 ? 10 : 100);
  if (std::signbit(scaled) || !(scaled < largest_exact_product)) {
    append_fixed_slowly(number, decimals, width);
    return;
  }
  const auto whole = static_cast<std::uint64_t>(scaled);
  const double rest = scaled - static_cast<double>(whole);
  if (std::abs(rest - 0.5) < widest_doubt) {
    append_fixed_slowly(number, decimals, width);
    return;
  }
  const std::uint64_t rounded = whole + (rest > 0.5 ? 1 : 0);
  NumberField field;
  if (decimals == 1) {
    field.put(static_cast<char>('0' + rounded % 10));
    field.put('.');
    field.put_number(rounded / 10);
  } else {
    field.put_pair(rounded % 100);
    field.put('.');
    field.put_number(rounded / 100);
  }
  const std::size_t size = std::clamp(width, field.size(), most_at_once);
  if (width > size) append_blanks(width - size);
  append_field(field.last(size), size);
}

void TextOutput::append_fixed_slowly(double number, unsigned decimals, std::size_t width) {
  *this += fmt::format("{:>{}.{}f}", number, width, decimals);
}

}  // namespace gprof
