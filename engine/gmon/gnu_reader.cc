// GNU versions 0 and 1: a header, then tagged records to the end of the file. glibc's profiles of a
// library (LD_PROFILE): the same header, a histogram and a table of arcs. Histograms and arcs,
// nearly all of a file, are checked but left in place, so that one reader serves both callers that
// have the file in memory and those that only scan its records.
#include <algorithm>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "engine/gmon/encoded_profile.h"
#include "engine/gmon/format_readers.h"
#include "engine/gmon/histogram_set.h"
#include "engine/support/window_reader.h"

namespace gprof {
namespace {

constexpr std::uint32_t newest_version = 1;
// glibc's dynamic linker writes this version to profiles of libraries (elf/dl-profile.c).
constexpr std::uint32_t library_version = 0x1ffff;
constexpr std::uint64_t dimension_size = 15;
// Histograms without bins, which add nothing once one has given the rate and unit. A file of zeros
// is a sequence of them.
constexpr std::uint64_t most_empty_histograms = 4096;

enum class RecordTag : std::uint8_t { histogram = 0, arc = 1, blocks = 2 };

struct HistogramHeader {
  AddressRange range;
  std::uint32_t bin_count = 0;
  std::uint32_t rate = 0;
  std::string dimension;
  char abbreviation = 0;
};

// `Reader` is a ByteReader over all bytes, which stay valid, or a WindowReader, whose bytes do not:
// then bins and arcs are skipped, blocks are not kept, and records only have an extent.
template <typename Reader>
class GnuReader {
 public:
  GnuReader(Reader reader, StoredBytes bytes, const GmonLayout& layout)
      : bytes_(bytes), reader_(std::move(reader)) {
    stored_.layout = layout;
  }

  Expected<EncodedProfile> read();
  [[nodiscard]] const Reader& source() const { return reader_; }

 private:
  Expected<void> read_header();
  Expected<void> read_record();
  Expected<void> read_library_records();
  Expected<void> expect_library_tag(RecordTag expected);
  Expected<HistogramHeader> read_histogram_header();
  Expected<void> check_histogram(const HistogramHeader& header) const;
  Expected<void> read_histogram();
  Expected<StoredBytes> take_bins(const HistogramHeader& header);
  Expected<void> read_arcs();
  Expected<void> pass_arc();
  Expected<void> read_cut_arc();
  Expected<void> read_blocks();
  Expected<BlockCount> read_block();
  Expected<void> skip_string(std::string_view what);
  // An error at the current record.
  [[nodiscard]] Error record_error(std::string message) const {
    return Error{ErrorCode::corrupt, std::move(message), reader_.path(), record_offset_};
  }

  static constexpr bool has_all_bytes = std::is_same_v<Reader, ByteReader>;

  StoredBytes bytes_;
  Reader reader_;
  EncodedProfile stored_;
  HistogramRanges ranges_;
  std::uint64_t record_offset_ = 0;
  std::uint64_t empty_histograms_ = 0;
  bool is_of_library_ = false;
};

template <typename Reader>
Expected<EncodedProfile> GnuReader<Reader>::read() {
  TRY(read_header());
  if (is_of_library_) TRY(read_library_records());
  while (!is_of_library_ && !reader_.at_end()) {
    TRY(read_record());
  }
  return std::move(stored_);
}

template <typename Reader>
Expected<void> GnuReader<Reader>::read_header() {
  TRY(reader_.read_bytes(gnu_magic.size(), "the magic"));
  const std::uint64_t version_offset = reader_.offset();
  TRY_ASSIGN(auto version, reader_.read_u32("the version"));
  is_of_library_ = version == library_version;
  if (version > newest_version && !is_of_library_) {
    return Error{ErrorCode::unsupported,
                 fmt::format("version 0 or 1 of the GNU format expected, {} found; check that the "
                             "profile comes from a machine of the executable's byte order",
                             version),
                 reader_.path(), version_offset};
  }
  stored_.decoded.version = is_of_library_ ? newest_version : version;
  TRY_ASSIGN(auto spare, reader_.read_bytes(12, "the header's spare bytes"));
  constexpr std::array<std::byte, 4> build_id_tag = {std::byte{'g'}, std::byte{'p'}, std::byte{'i'},
                                                     std::byte{'d'}};
  if (std::equal(build_id_tag.begin(), build_id_tag.end(), spare.begin())) {
    std::copy_n(spare.begin() + build_id_tag.size(), 8,
                stored_.decoded.build_id_prefix.emplace().begin());
  }
  return {};
}

template <typename Reader>
Expected<void> GnuReader<Reader>::expect_library_tag(RecordTag expected) {
  record_offset_ = reader_.offset();
  TRY_ASSIGN(auto tag, reader_.read_u32("a record's tag"));
  if (tag == static_cast<std::uint32_t>(expected)) return {};
  return record_error(
      fmt::format("tag {} expected in a profile of a library, {} found; the file is "
                  "damaged: run the program again under LD_PROFILE",
                  static_cast<int>(expected), tag));
}

// Tags have four bytes here. Arcs are relative to the histogram's low address, those from other
// modules have no caller, and the file is as large as its table of arcs may become.
template <typename Reader>
Expected<void> GnuReader<Reader>::read_library_records() {
  TRY(expect_library_tag(RecordTag::histogram));
  TRY(read_histogram());
  const Address low = stored_.histograms.empty() ? Address() : stored_.histograms.front().range.low;
  TRY(expect_library_tag(RecordTag::arc));
  TRY_ASSIGN(auto count, reader_.read_u32("the number of arcs"));
  const std::uint64_t size = gnu_arc_bytes(stored_.layout) - 1;
  if (count > reader_.remaining() / size) {
    return record_error(
        fmt::format("{} arcs of {} bytes expected, {} bytes left; the file is "
                    "damaged: run the program again under LD_PROFILE",
                    count, size, reader_.remaining()));
  }
  const PointerWidth width = stored_.layout.pointer_width;
  for (std::uint32_t i = 0; i < count; ++i) {
    TRY_ASSIGN(auto from, reader_.read_word(width, "an arc's caller"));
    TRY_ASSIGN(auto self, reader_.read_word(width, "an arc's callee"));
    TRY_ASSIGN(auto calls, reader_.read_u32("an arc's count"));
    const Address caller = from == 0 ? Address() : low + from;
    stored_.decoded.arcs.push_back({caller, low + self, calls});
  }
  stored_.decoded.arc_records = count;
  return {};
}

template <typename Reader>
Expected<void> GnuReader<Reader>::read_record() {
  record_offset_ = reader_.offset();
  TRY_ASSIGN(auto tag, reader_.read_u8("a record's tag"));
  switch (static_cast<RecordTag>(tag)) {
    case RecordTag::histogram:
      return read_histogram();
    case RecordTag::arc:
      return read_arcs();
    case RecordTag::blocks:
      return read_blocks();
  }
  return record_error(
      fmt::format("a record's tag (0, 1 or 2) expected, {} found; the file is damaged, or its "
                  "addresses are not of {} bytes as the executable's: check that they belong "
                  "together",
                  tag, static_cast<int>(stored_.layout.pointer_width)));
}

template <typename Reader>
Expected<HistogramHeader> GnuReader<Reader>::read_histogram_header() {
  TRY_ASSIGN(auto low,
             reader_.read_address(stored_.layout.pointer_width, "the histogram's low address"));
  TRY_ASSIGN(auto high,
             reader_.read_address(stored_.layout.pointer_width, "the histogram's high address"));
  TRY_ASSIGN(auto bin_count, reader_.read_u32("the histogram's number of bins"));
  TRY_ASSIGN(auto rate, reader_.read_u32("the histogram's rate"));
  TRY_ASSIGN(auto dimension, reader_.read_bytes(dimension_size, "the histogram's dimension"));
  TRY_ASSIGN(auto abbreviation, reader_.read_u8("the abbreviation of the histogram's dimension"));
  HistogramHeader header{{low, high}, bin_count, rate, {}, static_cast<char>(abbreviation)};
  for (const std::byte character : dimension) {
    if (character == std::byte{0}) break;
    header.dimension.push_back(static_cast<char>(character));
  }
  return header;
}

template <typename Reader>
Expected<void> GnuReader<Reader>::check_histogram(const HistogramHeader& header) const {
  const bool first = stored_.decoded.histogram_records == 0;
  if (!first && header.dimension != stored_.decoded.dimension) {
    return record_error(fmt::format("histograms of one unit expected, \"{}\" found after \"{}\"",
                                    header.dimension, stored_.decoded.dimension));
  }
  if (!first && header.abbreviation != stored_.decoded.dimension_abbreviation) {
    return record_error(
        fmt::format("histograms of one unit expected, abbreviation '{}' found "
                    "after '{}'",
                    header.abbreviation, stored_.decoded.dimension_abbreviation));
  }
  if (header.bin_count == 0) return {};
  if (!can_hold_bins(header.range)) {
    return record_error(
        fmt::format("a histogram's range of addresses expected, [{:#x}, {:#x}) "
                    "found with {} bins; the file is damaged: run the program "
                    "again",
                    header.range.low.value, header.range.high.value, header.bin_count));
  }
  if (const auto conflict = ranges_.conflict(header.range, header.bin_count)) {
    return record_error(fmt::format(
        "the histogram over [{:#x}, {:#x}) {}; equal or disjoint ranges of one resolution expected",
        header.range.low.value, header.range.high.value, *conflict));
  }
  return {};
}

template <typename Reader>
Expected<void> GnuReader<Reader>::read_histogram() {
  TRY_ASSIGN(auto header, read_histogram_header());
  TRY(check_histogram(header));
  if (stored_.decoded.histogram_records++ == 0) {
    stored_.decoded.rate = header.rate;
    stored_.decoded.dimension = header.dimension;
    stored_.decoded.dimension_abbreviation = header.abbreviation;
  }
  TRY_ASSIGN(auto bins, take_bins(header));
  if (header.bin_count != 0) {
    ranges_.add(header.range, header.bin_count);
    stored_.histograms.push_back({header.range, bins});
    return {};
  }
  // A record without bins gives the rate and the unit, but counts nothing.
  if (++empty_histograms_ <= most_empty_histograms) return {};
  return record_error(
      fmt::format("at most {} histograms without bins expected, one more found; the file is "
                  "damaged: run the program again",
                  most_empty_histograms));
}

template <typename Reader>
Expected<StoredBytes> GnuReader<Reader>::take_bins(const HistogramHeader& header) {
  const std::uint64_t size = bin_bytes * std::uint64_t{header.bin_count};
  const std::string what = fmt::format("the histogram's {} bins", header.bin_count);
  if constexpr (has_all_bytes) {
    return reader_.read_bytes(size, what);
  } else {
    TRY(reader_.skip(size, what));
    return StoredBytes();
  }
}

// Precondition: the reader is after the tag.
template <typename Reader>
Expected<void> GnuReader<Reader>::pass_arc() {
  const std::size_t rest = gnu_arc_bytes(stored_.layout) - 1;
  if (reader_.remaining() < rest) return read_cut_arc();
  ++stored_.decoded.arc_records;
  auto passed = reader_.read_bytes(rest, "an arc");
  return passed ? Expected<void>() : passed.error();
}

// Reads all consecutive arcs. Precondition: the reader is after the first one's tag.
template <typename Reader>
Expected<void> GnuReader<Reader>::read_arcs() {
  if constexpr (!has_all_bytes) return pass_arc();
  const std::size_t size = gnu_arc_bytes(stored_.layout);
  const StoredBytes rest = bytes_.subspan(record_offset_);
  std::size_t end = 0;
  while (rest.size() - end >= size && rest[end] == std::byte{1}) {
    end += size;
    ++stored_.decoded.arc_records;
  }
  if (end == 0) return read_cut_arc();
  stored_.arcs.push_back(rest.first(end));
  // Its tag is read.
  TRY(reader_.read_bytes(end - 1, "arcs"));
  return {};
}

// For an arc truncated by the end of the file: fails, and names the field.
template <typename Reader>
Expected<void> GnuReader<Reader>::read_cut_arc() {
  const PointerWidth width = stored_.layout.pointer_width;
  TRY(reader_.read_address(width, "an arc's caller"));
  TRY(reader_.read_address(width, "an arc's callee"));
  TRY(reader_.read_u32("an arc's count"));
  return {};
}

template <typename Reader>
Expected<void> GnuReader<Reader>::read_blocks() {
  TRY_ASSIGN(auto count, reader_.read_u32("the number of basic blocks"));
  const bool with_names = stored_.decoded.version == 0;
  if (with_names) {
    TRY(skip_string("the basic blocks' module"));
  }
  // In version 0, at least two empty strings and a line number.
  const std::uint64_t smallest_block = arc_size(stored_.layout, with_names ? 6 : 0);
  if (count > reader_.remaining() / smallest_block) {
    return reader_.error(
        ErrorCode::truncated,
        fmt::format("the file ends inside the basic-block counts: {} blocks of {} bytes "
                    "expected, {} bytes left",
                    count, smallest_block, reader_.remaining()));
  }
  if constexpr (has_all_bytes) {
    stored_.decoded.blocks.reserve(stored_.decoded.blocks.size() + count);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    TRY_ASSIGN(auto block, read_block());
    if constexpr (has_all_bytes) stored_.decoded.blocks.push_back(block);
  }
  ++stored_.decoded.block_records;
  return {};
}

template <typename Reader>
Expected<BlockCount> GnuReader<Reader>::read_block() {
  TRY_ASSIGN(auto first, reader_.read_word(stored_.layout.pointer_width, "a basic block"));
  TRY_ASSIGN(auto second, reader_.read_word(stored_.layout.pointer_width, "a basic block"));
  if (stored_.decoded.version != 0) return BlockCount{Address{first}, second};
  TRY(skip_string("a basic block's function"));
  TRY(skip_string("a basic block's file"));
  TRY(reader_.read_u32("a basic block's line"));
  return BlockCount{Address{second}, first};
}

template <typename Reader>
Expected<void> GnuReader<Reader>::skip_string(std::string_view what) {
  while (true) {
    TRY_ASSIGN(auto character, reader_.read_u8(what));
    if (character == 0) return {};
  }
}

}  // namespace

bool has_gnu_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= gnu_magic.size() &&
         std::equal(gnu_magic.begin(), gnu_magic.end(), bytes.begin());
}

Expected<EncodedProfile> read_gnu_gmon(StoredBytes bytes, const std::string& path,
                                       const GmonLayout& layout) {
  return GnuReader(ByteReader(bytes, layout.byte_order, path), bytes, layout).read();
}

Expected<EncodedProfile> look_at_gnu_gmon(const InputFile& file, const GmonLayout& layout,
                                          std::uint64_t& bytes_read) {
  GnuReader reader(WindowReader(file, layout.byte_order), {}, layout);
  auto stored = reader.read();
  bytes_read += reader.source().bytes_read();
  return stored;
}

}  // namespace gprof
