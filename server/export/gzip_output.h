// Compresses what is written (gzip) on its way to an output.
//
// Ownership: borrows the output. Thread contract: one thread. Errors: as of ExportOutput;
// unsupported where zlib cannot begin, for lack of memory.
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
  // Once, at the end.
  [[nodiscard]] Expected<void> finish();

 private:
  void compress(std::string_view bytes, int flush);

  ExportOutput& output_;
  z_stream stream_ = {};
  bool good_ = false;
};

}  // namespace gprof::lsp
