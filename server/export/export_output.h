// Sink for the text of an export. Only one piece of the text is in memory at a time.
//
// Thread contract: one thread. Errors: the receiver's first error ends the output; later text is
// dropped, and finish() returns the error.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "engine/support/expected.h"

namespace gprof::lsp {

class ExportOutput {
 public:
  using Receiver = std::function<Expected<void>(std::string_view)>;

  explicit ExportOutput(Receiver receiver) : receiver_(std::move(receiver)) {}

  void write(std::string_view text);
  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    if (failure_) return;
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Values>(values)...);
    if (buffer_.size() >= piece_size) flush();
  }
  // Whether the receiver has failed.
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] Expected<void> finish();

 private:
  static constexpr std::size_t piece_size = std::size_t{1} << 16U;
  void flush();

  Receiver receiver_;
  std::string buffer_;
  std::optional<Error> failure_;
};

// Rounds amounts to whole numbers so that their sum is the rounded sum of the amounts: each carries
// its rounding error over to the next.
class WholeNumbers {
 public:
  explicit WholeNumbers(double scale) : scale_(scale) {}

  std::uint64_t next(double amount) {
    const double exact = amount * scale_ + carry_;
    // Counts of a damaged file may overflow; NaN becomes 0.
    const double whole = std::round(exact) > 0 ? std::min(std::round(exact), largest) : 0;
    carry_ = std::abs(exact - whole) < 1 ? exact - whole : 0;
    return static_cast<std::uint64_t>(whole);
  }

 private:
  static constexpr double largest = 9e18;  // fits the signed integers of some formats

  double scale_;
  double carry_ = 0;
};

}  // namespace gprof::lsp
