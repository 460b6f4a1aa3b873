// The base protocol's framing: header fields, an empty line, and as many bytes as Content-Length
// says.
//
// The decoder takes bytes in pieces of any size. Memory grows with the bytes that arrive, never
// with what a header announces. After a damaged header it skips to the next `Content-Length:` and
// goes on; a message that is too large is skipped whole. Thread contract: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gprof::lsp {

// What kept a message from being read; one sentence.
struct FramingProblem {
  std::string message;
};

using Frame = std::variant<std::string, FramingProblem>;

class FrameDecoder {
 public:
  static constexpr std::uint64_t largest_message = std::uint64_t{64} << 20;
  static constexpr std::size_t largest_header = 8192;

  void feed(std::string_view bytes);
  // The next message or problem, in the order of the stream; nothing until more bytes come.
  [[nodiscard]] std::optional<Frame> next();
  // What the stream's end leaves unfinished; nothing when it ends between messages.
  [[nodiscard]] std::optional<FramingProblem> end_of_stream() const;

 private:
  enum class State : std::uint8_t { header, body, skipped_body, lost };

  // Each takes at least one byte from the front of `bytes`, which is not empty.
  void take_header(std::string_view& bytes);
  void take_body(std::string_view& bytes);
  void take_skipped(std::string_view& bytes);
  void take_until_header(std::string_view& bytes);

  void finish_header(std::string_view header);
  void lose(std::string problem);
  void begin_header();

  State state_ = State::header;
  std::string header_;  // what has come of the header; in State::lost, what may begin one
  std::string body_;
  std::uint64_t missing_ = 0;  // bytes of the body that have not come
  std::deque<Frame> frames_;
};

// A message with its header, ready to be sent.
[[nodiscard]] std::string framed(std::string_view body);

}  // namespace gprof::lsp
