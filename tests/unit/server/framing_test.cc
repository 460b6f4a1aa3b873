#include "server/transport/framing.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

namespace {

// Messages as they are, problems as `!`.
std::vector<std::string> take_all(FrameDecoder& decoder) {
  std::vector<std::string> result;
  while (auto frame = decoder.next()) {
    const auto* body = std::get_if<std::string>(&*frame);
    result.push_back(body ? *body : "!");
  }
  return result;
}

std::vector<std::string> decode(std::string_view stream) {
  FrameDecoder decoder;
  decoder.feed(stream);
  return take_all(decoder);
}

using Frames = std::vector<std::string>;

}  // namespace

TEST_CASE("a stream is decoded the same wherever it is split") {
  const std::string stream = framed("{\"a\":1}") +
                             "content-type: application/vscode-jsonrpc; charset=utf8\r\n"
                             "CONTENT-LENGTH:   3  \r\n\r\nabc" +
                             framed("") + "Content-Length: x\r\n\r\nlost " + framed("found") +
                             "Content-Length: 2\n\nok";
  const Frames expected{"{\"a\":1}", "abc", "", "!", "found", "ok"};
  REQUIRE(decode(stream) == expected);
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    FrameDecoder decoder;
    decoder.feed(std::string_view(stream).substr(0, split));
    Frames frames = take_all(decoder);
    decoder.feed(std::string_view(stream).substr(split));
    for (auto& frame : take_all(decoder)) frames.push_back(frame);
    CAPTURE(split);
    REQUIRE(frames == expected);
    REQUIRE_FALSE(decoder.end_of_stream());
  }
  FrameDecoder decoder;
  for (const char c : stream) decoder.feed({&c, 1});
  CHECK(take_all(decoder) == expected);
}

TEST_CASE("after a damaged header the next message is found") {
  const std::string good = framed("good");
  for (const std::string bad : {
           "Content-Length: -1\r\n\r\n",
           "Content-Length: 12x\r\n\r\n",
           "Content-Length: 99999999999999999999999\r\n\r\n",
           "Content-Length:\r\n\r\n",
           "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
           "Content-Type: text\r\n\r\n{\"a\":1}",
           "no field\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
           "garbage\r\n",
           "garbage",
           "{\"a\":1}\n",
           "Content-Length: x\r\n\r\nContent-Lengt",
       }) {
    CAPTURE(bad);
    CHECK(decode(bad + good) == Frames{"!", "good"});
  }
}

TEST_CASE("a header without an end is given up, and memory with it") {
  const std::string good = framed("good");
  CHECK(decode(std::string(20'000, 'x') + good) == Frames{"!", "good"});
  CHECK(decode("X: " + std::string(1'000'000, 'y') + "\r\n\r\n" + good) == Frames{"!", "good"});
  // The field straddles the point where the header is rejected, at every offset.
  for (std::size_t length = FrameDecoder::largest_header - 60;
       length < FrameDecoder::largest_header + 10; ++length) {
    CAPTURE(length);
    REQUIRE(decode(std::string(length, 'x') + good) == Frames{"!", "good"});
  }
}

TEST_CASE("a message that is too large is skipped whole") {
  const std::uint64_t size = FrameDecoder::largest_message + 1;
  FrameDecoder decoder;
  decoder.feed("Content-Length: " + std::to_string(size) + "\r\n\r\n");
  CHECK(take_all(decoder) == Frames{"!"});
  const std::string piece(1 << 20, 'x');
  for (std::uint64_t sent = 0; sent < size; sent += piece.size()) {
    decoder.feed(std::string_view(piece).substr(0, size - sent));
  }
  decoder.feed(framed("next"));
  CHECK(take_all(decoder) == Frames{"next"});
}

TEST_CASE("a message in an unknown charset is skipped whole") {
  CHECK(decode("Content-Type: x; charset=latin-1\r\nContent-Length: 3\r\n\r\nabc" +
               framed("next")) == Frames{"!", "next"});
}

TEST_CASE("the end of the stream within a message is told") {
  FrameDecoder decoder;
  CHECK_FALSE(decoder.end_of_stream());
  decoder.feed("Content-");
  CHECK(decoder.end_of_stream());
  decoder.feed("Length: 10\r\n\r\n123");
  REQUIRE(decoder.end_of_stream());
  CHECK(decoder.end_of_stream()->message.find("7 bytes") != std::string::npos);
  decoder.feed("4567890");
  CHECK_FALSE(decoder.end_of_stream());
}

TEST_CASE("what is framed counts bytes") {
  CHECK(framed("\xC3\xA9") == "Content-Length: 2\r\n\r\n\xC3\xA9");
}

TEST_CASE("a strict decoder refuses what is no header, from its first such byte on") {
  const std::vector<std::pair<std::string, std::size_t>> cases{
      {"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 1},
      {"GET / HTTP/1.1\r\n\r\n", 1},
      {"CONNECT a:1 HTTP/1.1\r\n\r\n", 4},
      {"\r\n" + framed("{}"), 1},
      {"{}" + framed("{}"), 1},
      {"Content-Length: 2x\r\n\r\n{}", 18},
      {"Content-Length: 2\r\nHost: a\r\n\r\n{}", 20},
      {"Content-Length : 2\r\n\r\n{}", 15},
      {"Content-Lengths: 2\r\n\r\n{}", 15},
      {std::string("\x16\x03\x01\x02", 4), 1},  // how TLS starts
  };
  for (const auto& [stream, first_wrong] : cases) {
    CAPTURE(stream);
    FrameDecoder decoder(Framing::strict);
    for (std::size_t i = 0; i < first_wrong; ++i) {
      REQUIRE_FALSE(decoder.refusal());
      decoder.feed(std::string_view(stream).substr(i, 1));
    }
    REQUIRE(decoder.refusal());
    // Nothing after it is taken for a message.
    decoder.feed(std::string_view(stream).substr(first_wrong));
    decoder.feed(framed("{}"));
    CHECK(take_all(decoder).empty());
  }
}

TEST_CASE("a strict decoder refuses a whole header that says nothing usable") {
  for (const std::string bad : {"Content-Type: a\r\n\r\n", "Content-Length: \r\n\r\n",
                                "Content-Length: 99999999999999999999999\r\n\r\n",
                                "Content-Length: 2\r\nContent-Length: 3\r\n\r\n"}) {
    CAPTURE(bad);
    FrameDecoder decoder(Framing::strict);
    decoder.feed(bad + framed("{}"));
    CHECK(decoder.refusal());
    CHECK(take_all(decoder).empty());
  }
}

TEST_CASE("a strict decoder takes what clients write, wherever it is split") {
  const std::string stream = framed("{}") +
                             "content-type: application/vscode-jsonrpc; charset=utf8\r\n"
                             "CONTENT-LENGTH:   3  \r\n\r\nabc" +
                             framed("") + "Content-Length: 2\n\nok";
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    FrameDecoder decoder(Framing::strict);
    decoder.feed(std::string_view(stream).substr(0, split));
    decoder.feed(std::string_view(stream).substr(split));
    CAPTURE(split);
    REQUIRE_FALSE(decoder.refusal());
    REQUIRE(take_all(decoder) == Frames{"{}", "abc", "", "ok"});
  }
}

TEST_CASE("a smaller limit holds for the messages that come behind it") {
  FrameDecoder decoder(Framing::strict);
  decoder.limit_messages(4);
  decoder.feed(framed("12345") + framed("1234"));
  CHECK(take_all(decoder) == Frames{"!", "1234"});
  decoder.limit_messages(FrameDecoder::largest_message);
  decoder.feed(framed("12345"));
  CHECK(take_all(decoder) == Frames{"12345"});
}
