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
  // Walks the records from `begin` to `end`; the last record of the section ends at `data_end`.
  Walk(PerfDataFile& file, PerfBytes& bytes, const Visitor& visit, std::uint64_t begin,
       std::uint64_t end, std::uint64_t data_end)
      : file_(file),
        bytes_(bytes),
        visit_(visit),
        end_(end),
        data_end_(data_end),
        unpacker_(max_imported_bytes(bytes.size())),
        offset_(begin) {}

  Expected<void> run() {
    while (goes_on_ && offset_ < end_) {
      TRY(step());
    }
    if (goes_on_ && unpacker_.rest() > 0 && end_ == data_end_) {
      return error(ErrorCode::truncated, "the compressed records end inside one", offset_);
    }
    return {};
  }
  // Whether the visitor wants more.
  [[nodiscard]] bool goes_on() const { return goes_on_; }

 private:
  [[nodiscard]] Error error(ErrorCode code, std::string message, std::uint64_t offset) const {
    return Error{code, std::move(message), bytes_.path(), offset};
  }
  Expected<void> step() {
    const std::uint64_t left = data_end_ - offset_;
    if (left < record_header_size) {
      return error(ErrorCode::truncated, "the file ends inside a record", offset_);
    }
    TRY_ASSIGN(const auto header, bytes_.at(offset_, record_header_size));
    PerfRecord record = of_header(header);
    const auto size = stored_integer<std::uint16_t>(header.data() + 6, file_.order_);
    if (size < record_header_size) return of_wrong_size(size);
    if (size > left) {
      return error(ErrorCode::truncated,
                   fmt::format("a record of {} bytes expected, the file ends after {}", size, left),
                   offset_);
    }
    TRY_ASSIGN(const auto bytes, bytes_.at(offset_, size));
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
    return error(ErrorCode::corrupt, fmt::format("a record of {} bytes", size), offset_);
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
    offset_ += std::min(size, data_end_ - offset_);
  }

  Expected<void> note_tracing_data(std::uint64_t offset, std::uint64_t size) {
    if (file_.is_noted_ || size > largest_feature) return {};
    TRY_ASSIGN(const auto bytes, bytes_.at(offset, size));
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
    error.path = bytes_.path();
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
  PerfBytes& bytes_;
  const Visitor& visit_;
  const std::uint64_t end_;
  const std::uint64_t data_end_;
  PerfUnpacker unpacker_;
  std::uint64_t offset_ = 0;
  bool goes_on_ = true;
};

Expected<void> PerfDataFile::for_each_record(const Visitor& visit, std::uint64_t most_bytes) {
  const std::uint64_t size = std::min(most_bytes, data_end_ - data_begin_);
  Walk walk(*this, bytes_, visit, data_begin_, data_begin_ + size, data_end_);
  auto walked = walk.run();
  is_noted_ = is_noted_ || size == data_end_ - data_begin_;
  bool goes_on = walk.goes_on();
  std::uint64_t left = most_bytes - size;
  for (PerfBytes& stream : bytes_.streams()) {
    if (!goes_on || left == 0) break;
    Walk more(*this, stream, visit, 0, std::min(left, stream.size()), stream.size());
    auto also = more.run();
    // Damage to one stream leaves the others whole.
    if (walked && !also) walked = std::move(also);
    goes_on = more.goes_on();
    left -= std::min(left, stream.size());
  }
  return walked;
}

}  // namespace gprof::perf_data
