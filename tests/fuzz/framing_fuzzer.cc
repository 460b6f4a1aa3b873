// The framing: whatever the bytes and however they are cut, messages and problems are the same.
// The first byte of an input says how long the pieces are.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "server/transport/framing.h"
#include "tests/fuzz/require.h"

using gprof::lsp::Frame;
using gprof::lsp::FrameDecoder;
using gprof::test::require;

namespace {

std::vector<std::string> decode(std::string_view bytes, std::size_t piece) {
  FrameDecoder decoder;
  std::vector<std::string> frames;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    decoder.feed(bytes.substr(at, piece));
    while (auto frame = decoder.next()) {
      const auto* body = std::get_if<std::string>(&*frame);
      frames.push_back(body != nullptr
                           ? "message " + *body
                           : "problem " + std::get<gprof::lsp::FramingProblem>(*frame).message);
    }
  }
  const auto unfinished = decoder.end_of_stream();
  if (unfinished) frames.push_back("end " + unfinished->message);
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = std::max<std::size_t>(1, data[0]);
  require(decode(bytes, piece) == decode(bytes, std::max<std::size_t>(1, bytes.size())),
          "frames do not depend on how the stream is cut");
  return 0;
}
