// Messages as lines: one in each, ended by a line feed, as the Model Context Protocol frames them
// on standard streams (specification 2026-07-28, basic/transports/stdio).
//
// Memory grows with the bytes received. A line that is too large is skipped and is a problem; blank
// lines are passed over. Thread contract: one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "server/transport/framing.h"

namespace gprof::lsp {

class LineDecoder : public MessageDecoder {
 public:
  static constexpr std::size_t largest_line = std::size_t{16} << 20;

  void feed(std::string_view bytes) override;
  [[nodiscard]] std::optional<Frame> next() override;
  [[nodiscard]] std::optional<FramingProblem> end_of_stream() const override;

 private:
  void end_line();

  std::string line_;
  bool too_long_ = false;
  std::deque<Frame> frames_;
};

}  // namespace gprof::lsp
