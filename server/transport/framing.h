// The base protocol's framing: header fields, an empty line, and Content-Length bytes.
//
// The decoder takes bytes in pieces of any size. Memory grows with the bytes received, never with
// what a header announces. A message that is too large is skipped. After a damaged header the
// decoder skips to the next `Content-Length:` and continues; a strict one refuses everything from
// the first byte that cannot be part of a header. Thread contract: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gprof::lsp {

// Why a message could not be read; one sentence.
struct FramingProblem {
  std::string message;
};

using Frame = std::variant<std::string, FramingProblem>;

enum class Framing : std::uint8_t {
  forgiving,  // the peer is the client, whatever it sends
  strict,     // anyone may have connected, such as a browser speaking HTTP
};

// From the bytes of a stream to its messages.
class MessageDecoder {
 public:
  MessageDecoder() = default;
  MessageDecoder(const MessageDecoder&) = delete;
  MessageDecoder& operator=(const MessageDecoder&) = delete;
  virtual ~MessageDecoder() = default;

  virtual void feed(std::string_view bytes) = 0;
  // The next message or problem, in the order of the stream; nothing until more bytes arrive.
  [[nodiscard]] virtual std::optional<Frame> next() = 0;
  // What the end of the stream cuts off; nothing if it ends between messages.
  [[nodiscard]] virtual std::optional<FramingProblem> end_of_stream() const = 0;
};

class FrameDecoder : public MessageDecoder {
 public:
  explicit FrameDecoder(Framing framing = Framing::forgiving) : framing_(framing) {}

  static constexpr std::uint64_t largest_message = std::uint64_t{64} << 20;
  static constexpr std::size_t largest_header = 8192;

  // Sets a smaller limit, in bytes, for headers received from now on.
  void limit_messages(std::uint64_t largest) { limit_ = largest; }

  void feed(std::string_view bytes) override;
  [[nodiscard]] std::optional<Frame> next() override;
  // Why a strict decoder takes no more; nothing while it does.
  [[nodiscard]] const std::optional<FramingProblem>& refusal() const { return refusal_; }
  [[nodiscard]] std::optional<FramingProblem> end_of_stream() const override;

 private:
  enum class State : std::uint8_t { header, body, skipped_body, lost, refused };

  // Each takes at least one byte from the front of `bytes`, which is not empty.
  void take_header(std::string_view& bytes);
  void take_body(std::string_view& bytes);
  void take_skipped(std::string_view& bytes);
  void take_until_header(std::string_view& bytes);

  void finish_header(std::string_view header);
  void lose(std::string problem);
  void refuse(std::string problem);
  [[nodiscard]] bool may_be_header() const;
  void begin_header();

  const Framing framing_;
  std::uint64_t limit_ = largest_message;
  std::optional<FramingProblem> refusal_;
  State state_ = State::header;
  std::string header_;  // the header so far; in State::lost, what may begin one
  std::string body_;
  std::uint64_t missing_ = 0;  // bytes of the body still missing
  std::deque<Frame> frames_;
};

// A message with its header, ready to be sent.
[[nodiscard]] std::string framed(std::string_view body);

}  // namespace gprof::lsp
