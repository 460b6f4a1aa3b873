#include "server/export/gzip_output.h"

#include <array>

namespace gprof::lsp {
namespace {

// zlib's largest window, plus its flag for a gzip header instead of its own.
constexpr int gzip_window = 15 + 16;
constexpr int memory_level = 8;
constexpr std::size_t piece_size = std::size_t{1} << 14U;

}  // namespace

GzipOutput::GzipOutput(ExportOutput& output) : output_(output) {
  good_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                       Z_DEFAULT_STRATEGY) == Z_OK;
}

GzipOutput::~GzipOutput() { deflateEnd(&stream_); }

void GzipOutput::compress(std::string_view bytes, int flush) {
  if (!good_ || output_.failed()) return;
  std::array<char, piece_size> piece = {};
  // zlib does not change what it reads.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_out = static_cast<uInt>(piece.size());
    deflate(&stream_, flush);
    output_.write({piece.data(), piece.size() - stream_.avail_out});
  } while (stream_.avail_out == 0);
}

Expected<void> GzipOutput::finish() {
  compress({}, Z_FINISH);
  if (good_) return {};
  return Error{ErrorCode::unsupported, "the export cannot be compressed: out of memory", {}, {}};
}

}  // namespace gprof::lsp
