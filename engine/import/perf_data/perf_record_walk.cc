// The records of a recording, one after the other.
#include <algorithm>

#include <fmt/format.h>

#include "engine/import/perf_data/perf_data_file.h"
#include "engine/import/perf_data/perf_format.h"
#include "engine/import/perf_data/perf_unpacker.h"
#include "engine/support/byte_reader.h"
#include "engine/support/limits.h"

namespace gprof::perf_data {

class PerfDataFile::Walk {
 public:
  Walk(PerfDataFile& file, const Visitor& visit, std::uint64_t end)
      : file_(file), visit_(visit), end_(end), unpacker_(max_imported_bytes(file.bytes_.size())) {}

  Expected<void> run() {
    while (goes_on_ && offset_ < end_) {
      TRY(step());
    }
    if (goes_on_ && unpacker_.rest() > 0 && end_ == file_.data_end_) {
      return file_.error(ErrorCode::truncated, "the compressed records end inside one", offset_);
    }
    return {};
  }

 private:
  Expected<void> step() {
    const std::uint64_t left = file_.data_end_ - offset_;
    if (left < record_header_size) {
      return file_.error(ErrorCode::truncated, "the file ends inside a record", offset_);
    }
    TRY_ASSIGN(const auto header, file_.bytes_.at(offset_, record_header_size));
    PerfRecord record = of_header(header);
    const auto size = stored_integer<std::uint16_t>(header.data() + 6, file_.order_);
    if (size < record_header_size) return of_wrong_size(size);
    if (size > left) {
      return file_.error(
          ErrorCode::truncated,
          fmt::format("a record of {} bytes expected, the file ends after {}", size, left),
          offset_);
    }
    TRY_ASSIGN(const auto bytes, file_.bytes_.at(offset_, size));
    record.body = bytes.subspan(record_header_size);
    offset_ += size;
    if (record.type == record::compressed || record.type == record::compressed2) {
      return unpack(record);
    }
    const std::uint64_t behind = offset_;
    skip_what_follows(record);
    if (record.type == record::tracing_data) return note_tracing_data(behind, offset_ - behind);
    show(record);
    return {};
  }

  [[nodiscard]] PerfRecord of_header(std::span<const std::byte> header) const {
    PerfRecord record;
    record.type = stored_integer<std::uint32_t>(header.data(), file_.order_);
    record.misc = stored_integer<std::uint16_t>(header.data() + 4, file_.order_);
    record.offset = offset_;
    return record;
  }
  [[nodiscard]] Error of_wrong_size(std::uint16_t size) const {
    return file_.error(ErrorCode::corrupt, fmt::format("a record of {} bytes", size), offset_);
  }

  // Two kinds are followed by more bytes than a record may have.
  void skip_what_follows(const PerfRecord& record) {
    std::uint64_t size = 0;
    if (record.type == record::auxtrace && record.body.size() >= 8) {
      size = stored_integer<std::uint64_t>(record.body.data(), file_.order_);
    } else if (record.type == record::tracing_data && record.body.size() >= 4) {
      size = (std::uint64_t{stored_integer<std::uint32_t>(record.body.data(), file_.order_)} + 7) &
             ~std::uint64_t{7};
    }
    offset_ += std::min(size, file_.data_end_ - offset_);
  }

  Expected<void> note_tracing_data(std::uint64_t offset, std::uint64_t size) {
    if (file_.is_noted_ || size > largest_feature) return {};
    TRY_ASSIGN(const auto bytes, file_.bytes_.at(offset, size));
    file_.note_tracing_data(bytes);
    return {};
  }

  Expected<void> unpack(const PerfRecord& record) {
    std::span<const std::byte> piece = record.body;
    if (record.type == record::compressed2) {
      if (piece.size() < 8) return of_wrong_size(static_cast<std::uint16_t>(piece.size()));
      const auto size = stored_integer<std::uint64_t>(piece.data(), file_.order_);
      piece = piece.subspan(8);
      piece = piece.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, piece.size())));
    }
    const auto consume = [&](std::span<const std::byte> bytes) { return consumed(bytes, record); };
    auto unpacked = unpacker_.unpack(piece, consume);
    if (unpacked) return {};
    Error error = unpacked.error();
    error.path = file_.bytes_.path();
    error.offset = record.offset;
    return error;
  }

  // `outer`: the compressed record.
  Expected<std::size_t> consumed(std::span<const std::byte> bytes, const PerfRecord& outer) {
    std::size_t done = 0;
    while (goes_on_ && bytes.size() - done >= record_header_size) {
      const auto rest = bytes.subspan(done);
      const auto size = stored_integer<std::uint16_t>(rest.data() + 6, file_.order_);
      if (size < record_header_size) return of_wrong_size(size);
      if (size > rest.size()) break;
      PerfRecord record = of_header(rest);
      record.offset = outer.offset;
      record.body = rest.subspan(record_header_size, size - record_header_size);
      show(record);
      done += size;
    }
    return goes_on_ ? done : bytes.size();
  }

  void show(const PerfRecord& record) {
    if (!file_.note(record)) goes_on_ = visit_(record);
  }

  PerfDataFile& file_;
  const Visitor& visit_;
  const std::uint64_t end_;
  PerfUnpacker unpacker_;
  std::uint64_t offset_ = file_.data_begin_;
  bool goes_on_ = true;
};

Expected<void> PerfDataFile::for_each_record(const Visitor& visit, std::uint64_t most_bytes) {
  const std::uint64_t size = std::min(most_bytes, data_end_ - data_begin_);
  auto walked = Walk(*this, visit, data_begin_ + size).run();
  is_noted_ = is_noted_ || size == data_end_ - data_begin_;
  return walked;
}

}  // namespace gprof::perf_data
