// The old BSD format and 4.4BSD's: a header, one histogram, then arcs to the end of the file.
#include <fmt/format.h>

#include "engine/gmon/format_readers.h"

namespace gprof {
namespace {

constexpr std::uint32_t usual_rate = 100;
constexpr std::uint64_t bin_size = 2;

struct Announced {
  AddressRange range;
  std::uint64_t size = 0;  // of header and bins together
};

Expected<Announced> read_announced(ByteReader& reader, const GmonLayout& layout) {
  TRY_ASSIGN(auto low, reader.read_address(layout.pointer_width, "the histogram's low address"));
  TRY_ASSIGN(auto high, reader.read_address(layout.pointer_width, "the histogram's high address"));
  TRY_ASSIGN(auto size, reader.read_u32("the size of header and histogram"));
  return Announced{{low, high}, size};
}

// The old format has no magic, so anything may be read as one: a header that contradicts itself or
// the file's size means that the file is something else.
Error contradiction(const ByteReader& reader, const BsdHeader& header, std::string found) {
  if (header.format == GmonFormat::bsd44) return reader.error(ErrorCode::corrupt, std::move(found));
  return Error{
      ErrorCode::wrong_format,
      "not a profile in a known format: it has no mark of one, and as a BSD gmon file, which "
      "has no mark, it makes no sense: " +
          found,
      reader.path(), std::nullopt};
}

// Reads on if 4.4BSD's version word is there; otherwise the bins start at the reader's position.
Expected<void> read_bsd44_words(ByteReader& reader, BsdHeader& header) {
  ByteReader ahead = reader;
  auto version = ahead.read_u32("the version");
  if (!version || *version != bsd44_version) return {};
  TRY_ASSIGN(auto rate, ahead.read_u32("the rate"));
  TRY(ahead.read_bytes(12, "the header's spare bytes"));
  header.format = GmonFormat::bsd44;
  if (rate != 0) header.rate = rate;
  reader = ahead;
  return {};
}

}  // namespace

Expected<BinCounts> read_bins(ByteReader& reader, const GmonLayout& layout, std::uint64_t count) {
  TRY_ASSIGN(auto bytes,
             reader.read_bytes(bin_size * count, fmt::format("the histogram's {} bins", count)));
  BinCounts bins(count);
  bins.add_stored(bytes, layout.byte_order);
  return bins;
}

Expected<BsdHeader> read_bsd_header(ByteReader& reader, std::uint64_t file_size,
                                    const GmonLayout& layout, GmonFormatChoice choice) {
  TRY_ASSIGN(auto announced, read_announced(reader, layout));
  BsdHeader header{GmonFormat::bsd, announced.range, 0, usual_rate};
  TRY(read_bsd44_words(reader, header));
  if (choice == GmonFormatChoice::bsd44 && header.format != GmonFormat::bsd44) {
    return reader.error(ErrorCode::wrong_format,
                        fmt::format("4.4BSD's version {:#x} expected; this may be the old BSD "
                                    "format",
                                    bsd44_version));
  }
  if (announced.size < reader.offset()) {
    return contradiction(reader, header,
                         fmt::format("header and histogram together would be {} bytes, the header "
                                     "alone has {}",
                                     announced.size, reader.offset()));
  }
  header.bin_count = (announced.size - reader.offset()) / bin_size;
  const std::uint64_t left = file_size - reader.offset();
  if (header.bin_count * bin_size > left) {
    return contradiction(
        reader, header,
        fmt::format("{} bytes of histogram expected, {} left", header.bin_count * bin_size, left));
  }
  // Stricter than for the GNU format, whose magic identifies a profile.
  if (header.bin_count != 0 && header.range.size() < bin_size) {
    return contradiction(
        reader, header,
        fmt::format("[{:#x}, {:#x}) is no range of addresses for {} bins", header.range.low.value,
                    header.range.high.value, header.bin_count));
  }
  return header;
}

Expected<RawProfile> read_bsd_gmon(std::span<const std::byte> bytes, const std::string& path,
                                   const GmonLayout& layout, GmonFormatChoice choice) {
  ByteReader reader(bytes, layout.byte_order, path);
  TRY_ASSIGN(auto header, read_bsd_header(reader, bytes.size(), layout, choice));
  RawProfile profile;
  profile.format = header.format;
  profile.version = 0;
  profile.rate = header.rate;
  profile.histogram_records = 1;
  TRY_ASSIGN(auto bins, read_bins(reader, layout, header.bin_count));
  if (!bins.empty()) {
    profile.histograms.push_back({header.range.low, header.range.high, std::move(bins)});
  }
  // A truncated arc at the end is left out, as in GNU gprof: some collectors pad their files.
  const std::uint64_t size = arc_size(layout, static_cast<std::uint64_t>(layout.pointer_width));
  profile.arcs.reserve(reader.remaining() / size);
  while (reader.remaining() >= size) {
    TRY_ASSIGN(auto from, reader.read_address(layout.pointer_width, "an arc's caller"));
    TRY_ASSIGN(auto self, reader.read_address(layout.pointer_width, "an arc's callee"));
    TRY_ASSIGN(auto count, reader.read_word(layout.pointer_width, "an arc's count"));
    profile.arcs.push_back({from, self, count});
  }
  profile.arc_records = profile.arcs.size();
  return profile;
}

}  // namespace gprof
