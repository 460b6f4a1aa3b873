#include "server/export/export_output.h"

namespace gprof::lsp {

void ExportOutput::write(std::string_view text) {
  if (failure_) return;
  buffer_ += text;
  if (buffer_.size() >= piece_size) flush();
}

void ExportOutput::flush() {
  if (failure_ || buffer_.empty()) return;
  if (auto received = receiver_(buffer_); !received) failure_ = received.error();
  buffer_.clear();
}

Expected<void> ExportOutput::finish() {
  flush();
  if (failure_) return *failure_;
  return {};
}

}  // namespace gprof::lsp
