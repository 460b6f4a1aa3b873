#include "tests/support/gmon_builder.h"

namespace gprof::test {
namespace {

constexpr std::uint32_t bsd44_version = 0x51879;

void append_bsd(GmonBytes& bytes, const GmonDescription& description) {
  const HistogramRecord histogram =
      description.histograms.empty() ? HistogramRecord{} : description.histograms.front();
  const bool bsd44 = description.format == GmonFormat::bsd44;
  const std::size_t width = static_cast<std::size_t>(description.layout.pointer_width);
  const std::size_t header_size = 2 * width + (bsd44 ? 24 : 4);
  bytes.word(histogram.low).word(histogram.high);
  bytes.u32(histogram.announced_length.value_or(
      static_cast<std::uint32_t>(header_size + 2 * histogram.bins.size())));
  if (bsd44) bytes.u32(bsd44_version).u32(histogram.rate).text("", 12);
  for (const std::uint16_t bin : histogram.bins) bytes.u16(bin);
  for (const ArcRecord& arc : description.arcs) bytes.word(arc.from).word(arc.self).word(arc.count);
}

}  // namespace

GmonBytes& GmonBytes::integer(std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t place = layout_.byte_order == ByteOrder::little ? i : size - 1 - i;
    bytes_.push_back(static_cast<std::byte>((value >> (8 * place)) & 0xff));
  }
  return *this;
}

GmonBytes& GmonBytes::word(std::uint64_t value) {
  return integer(value, static_cast<std::size_t>(layout_.pointer_width));
}

GmonBytes& GmonBytes::text(std::string_view characters, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes_.push_back(i < characters.size() ? static_cast<std::byte>(characters[i]) : std::byte{0});
  }
  return *this;
}

GmonBytes& GmonBytes::zero_terminated(std::string_view characters) {
  return text(characters, characters.size() + 1);
}

void append_gnu_header(GmonBytes& bytes, std::uint32_t version,
                       const std::optional<std::array<std::byte, 8>>& build_id_prefix) {
  bytes.text("gmon", 4).u32(version);
  bytes.text(build_id_prefix ? "gpid" : "", 4);
  for (std::size_t i = 0; i < 8; ++i) {
    bytes.u8(build_id_prefix ? std::to_integer<std::uint64_t>((*build_id_prefix)[i]) : 0);
  }
}

void append_gnu_histogram(GmonBytes& bytes, const HistogramRecord& record) {
  bytes.u8(0).word(record.low).word(record.high);
  bytes.u32(record.announced_length.value_or(static_cast<std::uint32_t>(record.bins.size())));
  bytes.u32(record.rate)
      .text(record.dimension, 15)
      .u8(static_cast<unsigned char>(record.abbreviation));
  for (const std::uint16_t bin : record.bins) bytes.u16(bin);
}

void append_gnu_arc(GmonBytes& bytes, const ArcRecord& record) {
  bytes.u8(1).word(record.from).word(record.self).u32(record.count);
}

void append_gnu_blocks(GmonBytes& bytes, std::uint32_t version, const BlockRecord& record) {
  bytes.u8(2);
  bytes.u32(record.announced_length.value_or(static_cast<std::uint32_t>(record.blocks.size())));
  if (version == 0) bytes.zero_terminated("module.c");
  for (const BlockRecord::Block& block : record.blocks) {
    if (version == 0) {
      bytes.word(block.count).word(block.address);
      bytes.zero_terminated("function").zero_terminated("file.c").u32(17);
    } else {
      bytes.word(block.address).word(block.count);
    }
  }
}

std::vector<std::byte> build_gmon(const GmonDescription& description) {
  GmonBytes bytes(description.layout);
  if (description.format != GmonFormat::gnu) {
    append_bsd(bytes, description);
    return bytes.bytes();
  }
  append_gnu_header(bytes, description.version, description.build_id_prefix);
  for (const HistogramRecord& record : description.histograms) append_gnu_histogram(bytes, record);
  for (const ArcRecord& record : description.arcs) append_gnu_arc(bytes, record);
  for (const BlockRecord& record : description.blocks) {
    append_gnu_blocks(bytes, description.version, record);
  }
  return bytes.bytes();
}

}  // namespace gprof::test
