// Reads the header and finds the chunks: by their magic, at multiples of 1024 bytes. Regions
// without chunks are skipped page by page, and holes of a sparse file as a whole.
#include "engine/gmon/live_reader.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/gmon/entry_view.h"
#include "formats/gmon_rules.h"

namespace gprof {
namespace {

using namespace gprof_formats;

constexpr std::uint64_t file_page = 4096;
constexpr std::uint64_t largest_chunk = std::uint64_t{1} << 30;
constexpr std::size_t most_warnings = 20;
// Bytes in which no chunk starts: each step over them is a separate read.
constexpr std::uint64_t most_passed_over = std::uint64_t{2} << 30;

class LiveReader {
 public:
  LiveReader(const LiveSource& source, std::uint64_t file_size, const std::string& path)
      : source_(source), file_size_(file_size), path_(path) {}

  Expected<LiveCounters> read();

 private:
  Expected<void> read_header();
  Expected<void> read_chunks();
  // What must not change while the file is read.
  struct TableState {
    std::uint64_t slice_width = 0;
    std::uint64_t replacements = 0;
    friend bool operator==(const TableState&, const TableState&) = default;
  };
  Expected<TableState> table_state();
  void take_header(const LiveHeader& header);
  // Returns where to look for the next chunk.
  Expected<std::uint64_t> read_chunk(std::uint64_t offset);
  // Where to continue if no chunk begins at the offset. `bytes`: from there to the end of the page.
  std::uint64_t pass_over(std::uint64_t offset, std::span<const std::byte> bytes);
  // Available bytes of the chunk; 0 if it is to be skipped.
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
  std::uint32_t version_ = 0;
  CrashNote crash_ = {};
  LiveCounters counters_;
  LiveTables* tables_ = nullptr;  // of read_chunks()
};

// A process that is running may replace tables by others and use their memory again.
Expected<LiveCounters> LiveReader::read() {
  constexpr int most_attempts = 4;
  for (int attempt = 1;; ++attempt) {
    counters_ = {};
    passed_over_ = 0;
    TRY_ASSIGN(const auto before, table_state());
    TRY(read_header());
    TRY(read_chunks());
    TRY_ASSIGN(const auto after, table_state());
    if (attempt == most_attempts || before == after) return std::move(counters_);
  }
}

Expected<LiveReader::TableState> LiveReader::table_state() {
  constexpr std::uint64_t end = offsetof(LiveHeader, unused);
  TRY_ASSIGN(auto bytes, source_.read_at(0, std::min(end, file_size_)));
  const auto header = EntryView(bytes).as<LiveHeader>();
  return TableState{header.slice_width, header.replacements};
}

Expected<void> LiveReader::read_chunks() {
  LiveTables tables(counters_, version_, crash_);
  tables_ = &tables;
  for (std::uint64_t offset = first_chunk_;
       offset < file_size_ && file_size_ - offset >= sizeof(ChunkHeader);) {
    TRY_ASSIGN(auto next, read_chunk(offset));
    offset = next;
  }
  tables.finish();
  return {};
}

Expected<void> LiveReader::read_header() {
  constexpr std::uint64_t header_size = sizeof(LiveHeader);
  TRY_ASSIGN(auto bytes, source_.read_at(0, std::min(header_size, file_size_)));
  const auto header = EntryView(bytes).as<LiveHeader>();
  if (text_before_zero(header.magic) != characters_of(live_magic).substr(0, bytes.size())) {
    return error(ErrorCode::wrong_format,
                 "live counters expected, which begin with \"gprofliv\"; name a file gmon.live.PID "
                 "of a program that ran under the collector for more than an instant",
                 0);
  }
  if (bytes.size() < header_size) {
    return error(
        ErrorCode::truncated,
        fmt::format("the file ends inside the header: {} bytes expected, {} found; nothing "
                    "can be recovered from it: run the program again",
                    header_size, bytes.size()),
        bytes.size());
  }
  if (header.version < 1 || header.version > live_version) {
    return error(ErrorCode::unsupported,
                 fmt::format("live counters of version 1 to {} expected, {} found; use the "
                             "gprof-lsp that came with the collector",
                             live_version, header.version),
                 offsetof(LiveHeader, version));
  }
  const std::uint64_t found_size = header.header_size;
  if (found_size < header_size) {
    return error(ErrorCode::corrupt,
                 fmt::format("a header of at least {} bytes expected, {} found; the file is "
                             "damaged: run the program again",
                             header_size, found_size),
                 offsetof(LiveHeader, header_size));
  }
  first_chunk_ = (found_size + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
  take_header(header);
  return {};
}

void LiveReader::take_header(const LiveHeader& header) {
  counters_.machine = header.machine;
  counters_.flags = header.flags;
  counters_.process = header.process;
  counters_.parent_process = header.parent_process;
  counters_.process_start = header.process_start;
  counters_.start_time = header.start_time;
  counters_.end_time = header.end_time;
  counters_.state = static_cast<LiveState>(header.state);
  counters_.ending = static_cast<Ending>(header.ending);
  counters_.exit_status = header.exit_status;
  counters_.requested_rate = header.requested_rate;
  counters_.sample_source = static_cast<SampleSource>(header.sample_source);
  counters_.image_number = header.image_number;
  counters_.lost_calls = header.lost_calls;
  counters_.lost_samples = header.lost_samples;
  counters_.lost_stacks = header.lost_stacks;
  counters_.price_picoseconds = header.price_picoseconds;
  counters_.epoch = header.epoch;
  counters_.sampling = header.sampling;
  counters_.recorded_process = header.recorded_process;
  counters_.unsampled_time = header.unsampled_time;
  counters_.earlier_time = header.earlier_time;
  counters_.name = text_before_zero(header.name);
  version_ = header.version;
  crash_ = header.crash;
  const bool has_slices = version_ > 1 && header.slice_width <= widest_slice;
  if (has_slices) counters_.slice_width = header.slice_width;
}

Expected<std::uint64_t> LiveReader::read_chunk(std::uint64_t offset) {
  // The rest of the page: if no chunk begins here, the next one may begin further on in it.
  const std::uint64_t page_end = (offset / file_page + 1) * file_page;
  TRY_ASSIGN(auto bytes, source_.read_at(offset, std::min(page_end, file_size_) - offset));
  const auto chunk = EntryView(bytes).as<ChunkHeader>();
  if (characters_of(chunk.magic) != characters_of(chunk_magic)) return pass_over(offset, bytes);
  const std::uint64_t size = usable_size(chunk, offset);
  if (size == 0) return pass_over(offset, bytes);
  if (kind_of(chunk) != ChunkKind::none) {
    // A size is easily claimed: where nothing was written behind the first page, that is all.
    const bool has_more = source_.next_data(page_end) < offset + size;
    const std::uint64_t there = has_more ? size : std::min(size, page_end - offset);
    TRY_ASSIGN(auto payload,
               source_.read_at(offset + sizeof(ChunkHeader), there - sizeof(ChunkHeader)));
    tables_->add(chunk, payload);
  }
  // May lie past the end; cannot overflow, since the size was checked against a bound.
  return offset + (size + chunk_alignment - 1) / chunk_alignment * chunk_alignment;
}

std::uint64_t LiveReader::pass_over(std::uint64_t offset, std::span<const std::byte> bytes) {
  for (std::size_t at = chunk_alignment; at + sizeof chunk_magic <= bytes.size();
       at += chunk_alignment) {
    if (std::memcmp(bytes.data() + at, chunk_magic, sizeof chunk_magic) == 0) {
      passed_over_ += at;
      return offset + at;
    }
  }
  passed_over_ += bytes.size();
  if (passed_over_ <= most_passed_over) {
    const std::uint64_t end = offset + bytes.size();
    return std::max(end, source_.next_data(end) / chunk_alignment * chunk_alignment);
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
  if (kind_of(chunk) == ChunkKind::none) return sensible && chunk.size <= left ? chunk.size : 0;
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
