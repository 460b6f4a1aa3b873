#include "engine/import/perf_data/perf_unpacker.h"

#include <fmt/format.h>
#include <zstd.h>

namespace gprof::perf_data {
namespace {

constexpr std::size_t unpacked_at_once = std::size_t{256} << 10;

Error damaged(std::string message) {
  return Error{ErrorCode::corrupt, std::move(message), "", std::nullopt};
}

}  // namespace

struct PerfUnpacker::State {
  ZSTD_DStream* stream = ::ZSTD_createDStream();

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ::ZSTD_freeDStream(stream); }
};

PerfUnpacker::PerfUnpacker(std::uint64_t most_bytes)
    : state_(std::make_unique<State>()), room_(most_bytes) {}

PerfUnpacker::~PerfUnpacker() = default;

Expected<void> PerfUnpacker::unpack(std::span<const std::byte> piece, const Consumer& consume) {
  if (state_->stream == nullptr) return damaged("there is not enough memory to unpack records");
  ZSTD_inBuffer input = {piece.data(), piece.size(), 0};
  for (bool more = true; more;) {
    const std::size_t before = unpacked_.size();
    const std::size_t taken = input.pos;
    unpacked_.resize(before + unpacked_at_once);
    ZSTD_outBuffer output = {unpacked_.data() + before, unpacked_at_once, 0};
    const std::size_t status = ::ZSTD_decompressStream(state_->stream, &output, &input);
    unpacked_.resize(before + output.pos);
    if (::ZSTD_isError(status) != 0) {
      return damaged(
          fmt::format("compressed records are damaged: {}", ::ZSTD_getErrorName(status)));
    }
    if (output.pos > room_) return damaged("compressed records unpack to more than is accepted");
    room_ -= output.pos;
    TRY_ASSIGN(const std::size_t consumed, consume(unpacked_));
    unpacked_.erase(unpacked_.begin(), unpacked_.begin() + static_cast<std::ptrdiff_t>(consumed));
    // What did not fit waits in the decoder.
    more = output.pos == unpacked_at_once ||
           (input.pos < input.size && (output.pos != 0 || input.pos != taken));
  }
  return {};
}

}  // namespace gprof::perf_data
