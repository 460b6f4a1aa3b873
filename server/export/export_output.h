// Where the text of an export goes, a piece at a time: however large it becomes, only a piece of it
// is held.
//
// Thread contract: one thread. Errors: the first one of the receiver ends the output; what comes
// after it is dropped, and finish() returns it.
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
  // Whether anybody still wants more.
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  [[nodiscard]] Expected<void> finish();

 private:
  static constexpr std::size_t piece_size = std::size_t{1} << 16U;
  void flush();

  Receiver receiver_;
  std::string buffer_;
  std::optional<Error> failure_;
};

// Amounts as whole numbers whose sum is the sum of the amounts, rounded: what one loses the next
// one gets.
class WholeNumbers {
 public:
  explicit WholeNumbers(double scale) : scale_(scale) {}

  std::uint64_t next(double amount) {
    const double exact = amount * scale_ + carry_;
    // Counts of a damaged file may be beyond all numbers; a not-a-number becomes 0.
    const double whole = std::round(exact) > 0 ? std::min(std::round(exact), largest) : 0;
    carry_ = std::abs(exact - whole) < 1 ? exact - whole : 0;
    return static_cast<std::uint64_t>(whole);
  }

 private:
  static constexpr double largest = 9e18;  // fits the signed numbers of some formats

  double scale_;
  double carry_ = 0;
};

}  // namespace gprof::lsp
