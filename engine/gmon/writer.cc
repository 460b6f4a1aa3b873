#include "engine/gmon/writer.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "engine/support/byte_writer.h"

namespace gprof {
namespace {

constexpr std::uint64_t largest_bin = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t largest_u32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t dimension_size = 15;

std::uint64_t records_for(std::uint64_t count, std::uint64_t largest) {
  return std::max<std::uint64_t>(1, count / largest + (count % largest != 0 ? 1 : 0));
}

Error refusal(std::string message) {
  return Error{ErrorCode::invalid_argument, std::move(message), {}, std::nullopt};
}

class GmonWriter {
 public:
  explicit GmonWriter(const GmonLayout& layout)
      : layout_(layout), writer_(layout.byte_order, layout.pointer_width) {}

  Expected<std::vector<std::byte>> write(const RawProfile& profile);

 private:
  [[nodiscard]] std::uint64_t largest_word() const {
    return layout_.pointer_width == PointerWidth::eight ? ~std::uint64_t{0} : largest_u32;
  }
  [[nodiscard]] Expected<void> check_address(Address address) const;
  [[nodiscard]] Expected<void> check_room(std::uint64_t records, std::uint64_t record_size,
                                          std::string_view what) const;
  [[nodiscard]] Expected<void> check_repeats(std::uint64_t count, std::uint64_t largest,
                                             std::string_view what) const;

  void write_header(const RawProfile& profile);
  void write_histogram_record(const RawProfile& profile, const Histogram& histogram,
                              std::uint64_t counts_before);
  Expected<void> write_histogram(const RawProfile& profile, const Histogram& histogram);
  Expected<void> write_arc(const RawArc& arc);
  Expected<void> write_blocks(const std::vector<BlockCount>& blocks);

  GmonLayout layout_;
  ByteWriter writer_;
};

Expected<void> GmonWriter::check_address(Address address) const {
  if (address.value <= largest_word()) return {};
  return refusal(
      fmt::format("addresses of {} bytes expected, {:#x} found: the profile is not of "
                  "this executable",
                  static_cast<int>(layout_.pointer_width), address.value));
}

Expected<void> GmonWriter::check_repeats(std::uint64_t count, std::uint64_t largest,
                                         std::string_view what) const {
  if (records_for(count, largest) <= most_records_a_count) return {};
  return refusal(
      fmt::format("at most {} {} expected, {} found: a gmon file cannot hold more; sum "
                  "up fewer profiles",
                  largest * most_records_a_count, what, count));
}

Expected<void> GmonWriter::check_room(std::uint64_t records, std::uint64_t record_size,
                                      std::string_view what) const {
  const std::uint64_t room = max_gmon_size - std::min<std::uint64_t>(max_gmon_size, writer_.size());
  if (records <= room / record_size) return {};
  return refusal(
      fmt::format("{} of {} bytes each would make a gmon file of more than {} bytes: "
                  "sum up fewer profiles ({} records needed)",
                  what, record_size, max_gmon_size, records));
}

void GmonWriter::write_header(const RawProfile& profile) {
  writer_.put_text("gmon", 4);
  writer_.put(1, 4);
  writer_.put_text(profile.build_id_prefix ? "gpid" : "", 4);
  const auto prefix = profile.build_id_prefix.value_or(std::array<std::byte, 8>{});
  for (const std::byte byte : prefix) writer_.put(std::to_integer<std::uint64_t>(byte), 1);
}

// Writes what is left of each bin after records that took `counts_before` of it.
void GmonWriter::write_histogram_record(const RawProfile& profile, const Histogram& histogram,
                                        std::uint64_t counts_before) {
  writer_.put(0, 1);
  writer_.put_word(histogram.low.value);
  writer_.put_word(histogram.high.value);
  writer_.put(histogram.bins.size(), 4);
  writer_.put(profile.rate, 4);
  writer_.put_text(profile.dimension, dimension_size);
  writer_.put(static_cast<unsigned char>(profile.dimension_abbreviation), 1);
  for (const std::uint64_t bin : histogram.bins) {
    writer_.put(std::min(bin - std::min(bin, counts_before), largest_bin), 2);
  }
}

Expected<void> GmonWriter::write_histogram(const RawProfile& profile, const Histogram& histogram) {
  TRY(check_address(histogram.low));
  TRY(check_address(histogram.high));
  if (histogram.bins.size() > largest_u32) {
    return refusal(
        fmt::format("at most {} bins expected, {} found", largest_u32, histogram.bins.size()));
  }
  std::uint64_t largest = 0;
  for (const std::uint64_t bin : histogram.bins) largest = std::max(largest, bin);
  TRY(check_repeats(largest, largest_bin, "samples in a bin"));
  const std::uint64_t records = records_for(largest, largest_bin);
  const std::uint64_t header_size = 2 * static_cast<std::uint64_t>(layout_.pointer_width) + 25;
  const std::uint64_t record_size = header_size + 2 * histogram.bins.size();
  TRY(check_room(records, record_size, "histograms"));
  for (std::uint64_t i = 0; i < records; ++i) {
    write_histogram_record(profile, histogram, i * largest_bin);
  }
  return {};
}

Expected<void> GmonWriter::write_arc(const RawArc& arc) {
  TRY(check_address(arc.from_pc));
  TRY(check_address(arc.self_pc));
  TRY(check_repeats(arc.count, largest_u32, "calls by an arc"));
  std::uint64_t records = records_for(arc.count, largest_u32);
  const std::uint64_t record_size = 2 * static_cast<std::uint64_t>(layout_.pointer_width) + 5;
  TRY(check_room(records, record_size, "arcs"));
  for (std::uint64_t left = arc.count; records > 0; --records) {
    const std::uint64_t count = std::min(left, largest_u32);
    writer_.put(1, 1);
    writer_.put_word(arc.from_pc.value);
    writer_.put_word(arc.self_pc.value);
    writer_.put(count, 4);
    left -= count;
  }
  return {};
}

Expected<void> GmonWriter::write_blocks(const std::vector<BlockCount>& blocks) {
  if (blocks.empty()) return {};
  std::uint64_t pairs = 0;
  for (const BlockCount& block : blocks) {
    TRY(check_address(block.address));
    TRY(check_repeats(block.count, largest_word(), "executions of a block"));
    pairs += records_for(block.count, largest_word());
  }
  const std::uint64_t pair_size = 2 * static_cast<std::uint64_t>(layout_.pointer_width);
  // The bound on the size keeps their number below the 32 bits that the record has for it.
  TRY(check_room(pairs, pair_size, "block counts"));
  writer_.put(2, 1);
  writer_.put(pairs, 4);
  for (const BlockCount& block : blocks) {
    std::uint64_t left = block.count;
    for (std::uint64_t n = records_for(block.count, largest_word()); n > 0; --n) {
      const std::uint64_t count = std::min(left, largest_word());
      writer_.put_word(block.address.value);
      writer_.put_word(count);
      left -= count;
    }
  }
  return {};
}

Expected<std::vector<std::byte>> GmonWriter::write(const RawProfile& profile) {
  if (profile.dimension.size() > dimension_size) {
    return refusal(fmt::format("a dimension of at most {} characters expected, \"{}\" found",
                               dimension_size, profile.dimension));
  }
  write_header(profile);
  for (const Histogram& histogram : profile.histograms) {
    TRY(write_histogram(profile, histogram));
  }
  if (profile.histograms.empty() && profile.histogram_records > 0) {
    write_histogram_record(profile, Histogram{}, 0);
  }
  for (const RawArc& arc : profile.arcs) {
    TRY(write_arc(arc));
  }
  TRY(write_blocks(profile.blocks));
  return writer_.take();
}

}  // namespace

Expected<std::vector<std::byte>> write_gmon(const RawProfile& profile, const GmonLayout& layout) {
  return GmonWriter(layout).write(profile);
}

}  // namespace gprof
