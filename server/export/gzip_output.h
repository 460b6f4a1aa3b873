// Compresses text (gzip) on its way to an output.
//
// Ownership: borrows the output. Thread contract: one thread. Errors: those of ExportOutput;
// unsupported if zlib lacks the memory to start.
#pragma once

#include <string_view>

#include <zlib.h>

#include "server/export/export_output.h"

namespace gprof::lsp {

class GzipOutput {
 public:
  explicit GzipOutput(ExportOutput& output);
  ~GzipOutput();
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  void write(std::string_view bytes) { compress(bytes, Z_NO_FLUSH); }
  // Call once, at the end.
  [[nodiscard]] Expected<void> finish();

 private:
  void compress(std::string_view bytes, int flush);

  ExportOutput& output_;
  z_stream stream_ = {};
  bool good_ = false;
};

}  // namespace gprof::lsp
