#include "server/transport/line_decoder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace gprof::lsp {

void LineDecoder::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    too_long_ = too_long_ || piece.size() > largest_line - line_.size();
    if (too_long_) {
      line_.clear();
    } else {
      line_ += piece;
    }
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    end_line();
  }
}

void LineDecoder::end_line() {
  std::string line = std::exchange(line_, {});
  if (std::exchange(too_long_, false)) {
    frames_.emplace_back(
        FramingProblem{fmt::format("A line of more than {} bytes was skipped.", largest_line)});
    return;
  }
  if (line.find_first_not_of(" \t\r") != std::string::npos) frames_.emplace_back(std::move(line));
}

std::optional<Frame> LineDecoder::next() {
  if (frames_.empty()) return std::nullopt;
  Frame frame = std::move(frames_.front());
  frames_.pop_front();
  return frame;
}

std::optional<FramingProblem> LineDecoder::end_of_stream() const {
  if (line_.empty() && !too_long_) return std::nullopt;
  return FramingProblem{"The stream ended within a line."};
}

}  // namespace gprof::lsp
