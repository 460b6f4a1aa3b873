// Reads the header and finds the chunks: by their magic, at multiples of 4096 bytes. Regions of the
// file that no chunk fills yet are passed over in steps of that, and holes of a sparse file as a
// whole.
#include "engine/gmon/live_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof {
namespace {

using namespace live_format;

constexpr std::uint64_t largest_chunk = std::uint64_t{1} << 30;
constexpr std::size_t most_warnings = 20;
// Bytes in which no chunk begins: each step over them is a read of its own.
constexpr std::uint64_t most_passed_over = std::uint64_t{2} << 30;

class LiveReader {
 public:
  LiveReader(const LiveSource& source, std::uint64_t file_size, const std::string& path)
      : source_(source), file_size_(file_size), path_(path) {}

  Expected<LiveCounters> read();

 private:
  Expected<void> read_header();
  void take_header(const EntryView& header);
  // Returns where to look for the next chunk.
  Expected<std::uint64_t> read_chunk(std::uint64_t offset);
  // Where to look on, behind bytes that are no chunk.
  std::uint64_t pass_over(std::uint64_t offset);
  // Bytes of the chunk that are there; 0 where it is to be passed over.
  std::uint64_t usable_size(const ChunkHeader& chunk, std::uint64_t offset);
  void warn(std::string message, std::uint64_t offset);
  [[nodiscard]] Error error(ErrorCode code, std::string message, std::uint64_t offset) const {
    return Error{code, std::move(message), path_, offset};
  }

  const LiveSource& source_;
  std::uint64_t file_size_;
  std::string path_;
  std::uint64_t first_chunk_ = 0;
  std::uint64_t passed_over_ = 0;
  LiveCounters counters_;
  LiveTables tables_{counters_};
};

Expected<LiveCounters> LiveReader::read() {
  if (auto done = read_header(); !done) return done.error();
  for (std::uint64_t offset = first_chunk_;
       offset < file_size_ && file_size_ - offset >= chunk_header_size;) {
    auto next = read_chunk(offset);
    if (!next) return next.error();
    offset = *next;
  }
  tables_.finish();
  return std::move(counters_);
}

Expected<void> LiveReader::read_header() {
  auto bytes = source_.read_at(0, std::min(header_size, file_size_));
  if (!bytes) return bytes.error();
  const EntryView header(*bytes);
  if (header.text(0, magic.size()) != magic.substr(0, bytes->size())) {
    return error(ErrorCode::wrong_format,
                 "live counters expected, which begin with \"gprofliv\"; name a file gmon.live.PID "
                 "of a program that ran under the collector for more than an instant",
                 0);
  }
  if (bytes->size() < header_size) {
    return error(
        ErrorCode::truncated,
        fmt::format("the file ends inside the header: {} bytes expected, {} found; nothing "
                    "can be recovered from it: run the program again",
                    header_size, bytes->size()),
        bytes->size());
  }
  if (const std::uint32_t found = header.u32(8); found != version) {
    return error(ErrorCode::unsupported,
                 fmt::format("live counters of version {} expected, {} found; use the gprof-lsp "
                             "that came with the collector",
                             version, found),
                 8);
  }
  const std::uint64_t found_size = header.u32(12);
  if (found_size < header_size) {
    return error(ErrorCode::corrupt,
                 fmt::format("a header of at least {} bytes expected, {} found; the file is "
                             "damaged: run the program again",
                             header_size, found_size),
                 12);
  }
  first_chunk_ = (found_size + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
  take_header(header);
  return {};
}

void LiveReader::take_header(const EntryView& header) {
  counters_.machine = header.u32(16);
  counters_.flags = header.u32(20);
  counters_.process = header.u32(32);
  counters_.parent_process = header.u32(36);
  counters_.process_start = header.u64(40);
  counters_.start_time = header.u64(48);
  counters_.end_time = header.u64(56);
  counters_.state = static_cast<LiveState>(header.u32(64));
  counters_.ending = static_cast<Ending>(header.u32(68));
  counters_.exit_status = static_cast<std::int32_t>(header.u32(72));
  counters_.requested_rate = header.u32(76);
  counters_.sample_source = static_cast<SampleSource>(header.u32(80));
  counters_.image_number = header.u32(84);
  counters_.lost_calls = header.u64(88);
  counters_.lost_samples = header.u64(96);
  counters_.lost_stacks = header.u64(104);
  counters_.price_picoseconds = header.u64(112);
  counters_.epoch = header.u64(120);
  counters_.sampling = {header.u64(136), header.u64(144), header.u64(152), header.u64(160),
                        header.u64(168)};
  counters_.recorded_process = header.u32(176);
  counters_.name = header.text(1024, 1024);
}

Expected<std::uint64_t> LiveReader::read_chunk(std::uint64_t offset) {
  auto bytes = source_.read_at(offset, chunk_header_size);
  if (!bytes) return bytes.error();
  const EntryView view(*bytes);
  if (view.text(0, chunk_magic.size()) != chunk_magic) return pass_over(offset);
  const ChunkHeader chunk{static_cast<ChunkKind>(view.u32(8)),
                          view.u32(12),
                          view.u64(16),
                          view.u64(24),
                          view.u64(32),
                          view.u64(40)};
  const std::uint64_t size = usable_size(chunk, offset);
  if (size == 0) return pass_over(offset);
  if (chunk.kind != ChunkKind::none) {
    // A size is easily claimed: where nothing was written behind the first page, that is all.
    const bool has_more = source_.next_data(offset + chunk_alignment) < offset + size;
    const std::uint64_t there = has_more ? size : std::min(size, chunk_alignment);
    auto payload = source_.read_at(offset + chunk_header_size, there - chunk_header_size);
    if (!payload) return payload.error();
    tables_.add(chunk, *payload);
  }
  // May lie beyond the end: there is no overflow, since the size was held against a bound.
  return offset + (size + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
}

std::uint64_t LiveReader::pass_over(std::uint64_t offset) {
  passed_over_ += chunk_alignment;
  if (passed_over_ <= most_passed_over) {
    const std::uint64_t data = source_.next_data(offset + chunk_alignment);
    return std::max(offset + chunk_alignment, data / chunk_alignment * chunk_alignment);
  }
  warn(fmt::format("a chunk expected within {} bytes, none found; what follows is left out",
                   most_passed_over),
       offset);
  return file_size_;
}

std::uint64_t LiveReader::usable_size(const ChunkHeader& chunk, std::uint64_t offset) {
  const std::uint64_t left = file_size_ - offset;
  const bool sensible = chunk.size != 0 && chunk.size % chunk_alignment == 0;
  // A chunk in the making has no kind, and may have no size.
  if (chunk.kind == ChunkKind::none) return sensible && chunk.size <= left ? chunk.size : 0;
  if (!sensible || chunk.size > largest_chunk) {
    warn(fmt::format("a chunk of a multiple of {} bytes expected, one of {} found and passed over; "
                     "some counts may be missing",
                     chunk_alignment, chunk.size),
         offset);
    return 0;
  }
  if (chunk.size <= left) return chunk.size;
  warn(fmt::format("a chunk of {} bytes expected, {} are there; some counts may be missing",
                   chunk.size, left),
       offset);
  return left;
}

void LiveReader::warn(std::string message, std::uint64_t offset) {
  if (counters_.warnings.size() >= most_warnings) return;
  counters_.warnings.push_back(error(ErrorCode::corrupt, std::move(message), offset));
}

}  // namespace

Expected<LiveCounters> read_live(const LiveSource& source, std::uint64_t file_size,
                                 const std::string& path) {
  return LiveReader(source, file_size, path).read();
}

}  // namespace gprof
