// The old BSD format and 4.4BSD's: a header, one histogram, then arcs to the end of the file. The
// headers are those of FreeBSD, OpenBSD, NetBSD and NuttX, which differ in the spare words alone.
#include <fmt/format.h>

#include "engine/gmon/format_readers.h"

namespace gprof {
namespace {

constexpr std::uint32_t usual_rate = 100;
constexpr std::uint32_t bits_a_byte = 8;
// Narrower ones would be no range of addresses.
constexpr std::uint64_t smallest_bin = 2;

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

// FreeBSD's first spare word is the size in bits of a bin, negative for signed bins: 64 in profiles
// of pmcstat. 0, as elsewhere, means 16. OpenBSD's is the size of all arcs, which is a multiple of
// three words; NuttX leaves all three words as they are in memory.
Expected<BinFormat> read_spare_words(ByteReader& reader) {
  BinFormat format;
  TRY_ASSIGN(const auto type, reader.read_u32("the size of bins in bits"));
  TRY_ASSIGN(const auto second, reader.read_u32("the header's spare bytes"));
  TRY_ASSIGN(const auto third, reader.read_u32("the header's spare bytes"));
  if (second != 0 || third != 0) return format;
  const bool is_signed = type > INT32_MAX;
  const std::uint32_t bits = is_signed ? 0 - type : type;
  for (const std::uint32_t known : {8U, 16U, 32U, 64U}) {
    if (bits == known) format = {bits / bits_a_byte, is_signed};
  }
  return format;
}

// Reads on if 4.4BSD's version word is there; otherwise the bins start at the reader's position.
Expected<void> read_bsd44_words(ByteReader& reader, BsdHeader& header) {
  ByteReader ahead = reader;
  auto version = ahead.read_u32("the version");
  if (!version || *version != bsd44_version) return {};
  TRY_ASSIGN(auto rate, ahead.read_u32("the rate"));
  TRY_ASSIGN(header.bins, read_spare_words(ahead));
  header.format = GmonFormat::bsd44;
  if (rate != 0) header.rate = rate;
  reader = ahead;
  return {};
}

std::uint64_t stored_count(std::span<const std::byte> bytes, ByteOrder order) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t most_significant_first = order == ByteOrder::big ? i : bytes.size() - 1 - i;
    count = count << bits_a_byte | static_cast<std::uint64_t>(bytes[most_significant_first]);
  }
  return count;
}

Expected<BinCounts> read_bins(ByteReader& reader, const BsdHeader& header, ByteOrder order) {
  TRY_ASSIGN(const auto bytes,
             reader.read_bytes(header.bins_size(),
                               fmt::format("the histogram's {} bins", header.bin_count)));
  BinCounts bins(header.bin_count);
  if (header.bins.bytes == bin_bytes && !header.bins.is_signed) {
    bins.add_stored(bytes, order);
    return bins;
  }
  for (std::uint64_t i = 0; i < header.bin_count; ++i) {
    const std::uint64_t count =
        stored_count(bytes.subspan(i * header.bins.bytes, header.bins.bytes), order);
    const std::uint64_t sign = std::uint64_t{1} << (bits_a_byte * header.bins.bytes - 1);
    // A signed bin is below 0 where the kernel took off more than it had added.
    if (!header.bins.is_signed || (count & sign) == 0) bins.set(i, count);
  }
  return bins;
}

}  // namespace

Expected<BsdHeader> read_bsd_header(ByteReader& reader, std::uint64_t file_size,
                                    const GmonLayout& layout, GmonFormatChoice choice) {
  TRY_ASSIGN(auto announced, read_announced(reader, layout));
  BsdHeader header{GmonFormat::bsd, announced.range, 0, usual_rate, {}};
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
  header.bin_count = (announced.size - reader.offset()) / header.bins.bytes;
  const std::uint64_t left = file_size - reader.offset();
  if (header.bins_size() > left) {
    return contradiction(
        reader, header,
        fmt::format("{} bytes of histogram expected, {} left", header.bins_size(), left));
  }
  // Stricter than for the GNU format, whose magic identifies a profile.
  if (header.bin_count != 0 && header.range.size() < smallest_bin) {
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
  TRY_ASSIGN(auto bins, read_bins(reader, header, layout.byte_order));
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
