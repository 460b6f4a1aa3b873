#include "engine/support/decompress.h"

#include <algorithm>

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace gprof {
namespace {

constexpr std::uint64_t expansion_bound = 1024;
constexpr std::uint64_t expansion_allowance = std::uint64_t{1} << 20;
constexpr std::uint64_t first_buffer_size = std::uint64_t{64} << 10;
constexpr std::uint64_t lzma_memory_limit = std::uint64_t{256} << 20;

Error damaged(std::string_view format, std::string_view detail) {
  return Error{ErrorCode::corrupt, fmt::format("the {} data is damaged: {}", format, detail), "",
               std::nullopt};
}

Error too_large(std::uint64_t limit) {
  return Error{ErrorCode::unsupported, fmt::format("it unpacks to more than {} bytes", limit), "",
               std::nullopt};
}

// A buffer that doubles, so that a small stream cannot claim much memory; once an eighth of the
// limit is reached, it has room for all of it, since doubling needs half as much again to copy
// from. The unused part has no pages.
class GrowingBuffer {
 public:
  explicit GrowingBuffer(std::uint64_t limit) : limit_(limit) {}

  // Room for more bytes; empty at the limit.
  std::span<std::byte> room() {
    if (used_ == bytes_.size() && bytes_.size() < limit_) {
      const std::uint64_t doubled = std::max<std::uint64_t>(first_buffer_size, bytes_.size() * 2);
      if (bytes_.size() >= limit_ / 8) bytes_.reserve(limit_);
      bytes_.resize(std::min(limit_, doubled));
    }
    return std::span(bytes_).subspan(used_);
  }
  void add(std::uint64_t count) { used_ += count; }
  [[nodiscard]] std::uint64_t used() const { return used_; }
  std::vector<std::byte> take() && {
    bytes_.resize(used_);
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t used_ = 0;
  std::uint64_t limit_;
};

enum class Step : std::uint8_t { more, finished, failed };

// Each decoder turns the rest of its input into as many bytes as fit into `output`.
class ZlibDecoder {
 public:
  static constexpr std::string_view name = "zlib";
  explicit ZlibDecoder(std::span<const std::byte> input, int window_bits = MAX_WBITS)
      : input_(input) {
    ready_ = ::inflateInit2(&stream_, window_bits) == Z_OK;
  }
  ZlibDecoder(const ZlibDecoder&) = delete;
  ZlibDecoder& operator=(const ZlibDecoder&) = delete;
  ~ZlibDecoder() {
    if (ready_) ::inflateEnd(&stream_);
  }
  Step decode(std::span<std::byte> output, std::uint64_t& written) {
    if (!ready_) return Step::failed;
    const std::size_t in_size = std::min<std::size_t>(input_.size(), chunk);
    const std::size_t out_size = std::min<std::size_t>(output.size(), chunk);
    // zlib's interface lacks const; it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(input_.data()));
    stream_.avail_in = static_cast<uInt>(in_size);
    stream_.next_out = reinterpret_cast<Bytef*>(output.data());
    stream_.avail_out = static_cast<uInt>(out_size);
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    written = out_size - stream_.avail_out;
    const std::size_t consumed = in_size - stream_.avail_in;
    input_ = input_.subspan(consumed);
    if (status == Z_STREAM_END) {
      // A section linked from several compressed ones is a series of streams.
      if (input_.empty() || ::inflateReset(&stream_) != Z_OK) return Step::finished;
      return Step::more;
    }
    return status == Z_OK && (written != 0 || consumed != 0) ? Step::more : Step::failed;
  }

 private:
  static constexpr std::size_t chunk = std::size_t{1} << 30;  // zlib counts in 32 bits
  std::span<const std::byte> input_;
  z_stream stream_ = {};
  bool ready_ = false;
};

class GzipDecoder : public ZlibDecoder {
 public:
  static constexpr std::string_view name = "gzip";
  // 16 more: with gzip's header.
  explicit GzipDecoder(std::span<const std::byte> input) : ZlibDecoder(input, MAX_WBITS + 16) {}
};

class ZstdDecoder {
 public:
  static constexpr std::string_view name = "zstd";
  explicit ZstdDecoder(std::span<const std::byte> input)
      : stream_(::ZSTD_createDStream()), input_{input.data(), input.size(), 0} {}
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;
  ~ZstdDecoder() { ::ZSTD_freeDStream(stream_); }
  Step decode(std::span<std::byte> output, std::uint64_t& written) {
    if (stream_ == nullptr) return Step::failed;
    const std::size_t consumed_before = input_.pos;
    ZSTD_outBuffer out = {output.data(), output.size(), 0};
    const std::size_t status = ::ZSTD_decompressStream(stream_, &out, &input_);
    written = out.pos;
    if (::ZSTD_isError(status) != 0) return Step::failed;
    if (status == 0 && input_.pos == input_.size) return Step::finished;
    return written != 0 || input_.pos != consumed_before ? Step::more : Step::failed;
  }

 private:
  ZSTD_DStream* stream_;
  ZSTD_inBuffer input_;
};

class XzDecoder {
 public:
  static constexpr std::string_view name = "xz";
  explicit XzDecoder(std::span<const std::byte> input) {
    ready_ = ::lzma_stream_decoder(&stream_, lzma_memory_limit, LZMA_CONCATENATED) == LZMA_OK;
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(input.data());
    stream_.avail_in = input.size();
  }
  XzDecoder(const XzDecoder&) = delete;
  XzDecoder& operator=(const XzDecoder&) = delete;
  ~XzDecoder() { ::lzma_end(&stream_); }
  Step decode(std::span<std::byte> output, std::uint64_t& written) {
    if (!ready_) return Step::failed;
    stream_.next_out = reinterpret_cast<std::uint8_t*>(output.data());
    stream_.avail_out = output.size();
    const lzma_ret status = ::lzma_code(&stream_, LZMA_FINISH);
    written = output.size() - stream_.avail_out;
    if (status == LZMA_STREAM_END) return Step::finished;
    return status == LZMA_OK ? Step::more : Step::failed;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false;
};

template <typename Decoder>
Expected<std::vector<std::byte>> run(std::span<const std::byte> compressed, std::uint64_t limit) {
  Decoder decoder(compressed);
  // One extra byte distinguishes "exactly full" from "too much".
  GrowingBuffer buffer(limit + 1);
  Step step = Step::more;
  while (step == Step::more) {
    const std::span<std::byte> room = buffer.room();
    if (room.empty()) return too_large(limit);
    std::uint64_t written = 0;
    step = decoder.decode(room, written);
    buffer.add(written);
  }
  if (step == Step::failed) {
    return damaged(Decoder::name, fmt::format("it breaks off after {} bytes", buffer.used()));
  }
  if (buffer.used() > limit) return too_large(limit);
  return std::move(buffer).take();
}

Expected<std::vector<std::byte>> run(Compression compression, std::span<const std::byte> compressed,
                                     std::uint64_t limit) {
  switch (compression) {
    case Compression::zlib:
      return run<ZlibDecoder>(compressed, limit);
    case Compression::zstd:
      return run<ZstdDecoder>(compressed, limit);
    case Compression::xz:
      return run<XzDecoder>(compressed, limit);
    case Compression::gzip:
      return run<GzipDecoder>(compressed, limit);
  }
  return damaged("compressed", "unknown method");
}

}  // namespace

std::uint64_t decompressed_size_bound(std::uint64_t compressed_size) {
  return compressed_size * expansion_bound + expansion_allowance;
}

Expected<std::vector<std::byte>> decompress(Compression compression,
                                            std::span<const std::byte> compressed,
                                            std::optional<std::uint64_t> announced_size,
                                            std::uint64_t most_bytes) {
  const std::uint64_t bound = std::min(decompressed_size_bound(compressed.size()), most_bytes);
  if (announced_size && *announced_size > bound) {
    return Error{ErrorCode::unsupported,
                 fmt::format("{} compressed bytes announce {} bytes, more than the {} accepted",
                             compressed.size(), *announced_size, bound),
                 "", std::nullopt};
  }
  auto bytes = run(compression, compressed, announced_size.value_or(bound));
  const bool is_too_large = !bytes && bytes.error().code == ErrorCode::unsupported;
  if (is_too_large && announced_size) {
    return damaged("compressed", fmt::format("it gives more than the {} bytes that are announced",
                                             *announced_size));
  }
  if (bytes && announced_size && bytes->size() != *announced_size) {
    return damaged("compressed", fmt::format("it gives {} bytes where {} are announced",
                                             bytes->size(), *announced_size));
  }
  return bytes;
}

}  // namespace gprof
