// How much an answer may hold, and which rows of a list are given.
//
// Tokens depend on the model that reads them; three of them hold eight bytes of an answer here,
// which is more than most need. Thread contract: one thread.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "engine/support/expected.h"
#include "server/protocol/message_writer.h"
#include "server/protocol/tool_answers.h"
#include "server/protocol/tool_arguments.h"

namespace gprof::lsp {

inline constexpr std::uint32_t most_answer_rows = 1000;

[[nodiscard]] inline Error wrong_argument(std::string_view name, std::string_view expected) {
  return {ErrorCode::invalid_argument,
          fmt::format("arguments.{}: expected {}", name, expected),
          {},
          {}};
}

// Errors: invalid_argument, which names the argument.
template <typename Number>
[[nodiscard]] Expected<void> check_range(std::string_view name, Number value, Number low,
                                         Number high) {
  if (value >= low && value <= high) return {};
  return wrong_argument(name, fmt::format("a number from {} to {}", low, high));
}

class AnswerRoom {
 public:
  [[nodiscard]] static Expected<AnswerRoom> of(const SizeArguments& size) {
    TRY(check_range("max_tokens", size.max_tokens, least_answer_tokens, most_answer_tokens));
    return AnswerRoom(size.max_tokens);
  }

  // Takes what a part of the answer needs; false, and nothing is taken, if there is less.
  template <typename Part>
  [[nodiscard]] bool take(const Part& part) {
    const std::size_t needed = written_text(part).size() + 1;
    if (needed > left_) return false;
    left_ -= needed;
    return true;
  }
  // Moves as many rows of a list as there is room for to the answer, in order. Returns whether all
  // were.
  template <typename Row>
  [[nodiscard]] bool give(std::vector<Row> rows, std::vector<Row>& answer) {
    for (Row& row : rows) {
      if (!take(row)) return false;
      answer.push_back(std::move(row));
    }
    return true;
  }

 private:
  static constexpr std::size_t bytes_of_three_tokens = 8;
  // Names of members, notes and suggestions.
  static constexpr std::size_t bytes_around_rows = 700;

  explicit AnswerRoom(std::size_t tokens)
      : left_(std::max(tokens * bytes_of_three_tokens / 3, bytes_around_rows) -
              bytes_around_rows / 2) {}

  std::size_t left_;
};

// Which rows of a list an answer has.
struct AnswerPage {
  std::size_t first = 0;
  std::size_t limit = 0;

  // Errors: invalid_argument for a limit out of range, and for a cursor that no answer gave.
  [[nodiscard]] static Expected<AnswerPage> of(const PageArguments& arguments,
                                               std::uint32_t limit) {
    TRY(check_range("limit", limit, 1U, most_answer_rows));
    AnswerPage page{0, limit};
    if (arguments.cursor.empty()) return page;
    const std::string& text = arguments.cursor;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), page.first);
    constexpr std::size_t most_rows = 1'000'000;
    if (error != std::errc() || end != text.data() + text.size() || page.first > most_rows) {
      return wrong_argument("cursor", "the member more of an answer");
    }
    return page;
  }
  // How many rows have to be known.
  [[nodiscard]] std::size_t end() const { return first + limit; }
};

// Gives the page's rows, of a list that holds at least one more where there are more, as far as
// there is room.
template <typename Row>
void give_page(std::vector<Row> rows, const AnswerPage& page, AnswerRoom& room,
               std::vector<Row>& answer, AnswerEnd& end) {
  std::size_t next = std::min(page.first, rows.size());
  for (; next < rows.size() && next < page.end(); ++next) {
    const bool fits = room.take(rows[next]);
    // A row that is too long by itself is given alone: else the next page would begin with it
    // again.
    if (!fits && !answer.empty()) break;
    answer.push_back(std::move(rows[next]));
    if (!fits) {
      ++next;
      break;
    }
  }
  if (next < rows.size()) end.more = std::to_string(next);
}

}  // namespace gprof::lsp
