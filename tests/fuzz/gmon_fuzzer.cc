// Every gmon reader, the sum and the writer. The first byte of an input chooses how the rest is
// read: bit 0 the pointer width, bit 1 the byte order, bits 2 and 3 the format.
#include <cstdint>
#include <tuple>

#include "engine/gmon/reader.h"
#include "engine/gmon/sum.h"
#include "engine/gmon/writer.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using gprof::test::require;

namespace {

constexpr GmonFormatChoice choices[] = {GmonFormatChoice::automatic, GmonFormatChoice::gnu,
                                        GmonFormatChoice::bsd, GmonFormatChoice::bsd44};

RawProfile added_up(const RawProfile& profile) {
  ProfileSum sum;
  require(sum.add(profile, "input").has_value(), "a profile that was read adds to an empty sum");
  return sum.take();
}

bool same_histograms(const RawProfile& a, const RawProfile& b) {
  if (a.histograms.size() != b.histograms.size()) return false;
  for (std::size_t i = 0; i < a.histograms.size(); ++i) {
    const Histogram& x = a.histograms[i];
    const Histogram& y = b.histograms[i];
    if (std::tie(x.low, x.high, x.bins) != std::tie(y.low, y.high, y.bins)) return false;
  }
  return true;
}

void check_histograms(const RawProfile& profile) {
  for (std::size_t i = 0; i < profile.histograms.size(); ++i) {
    const Histogram& histogram = profile.histograms[i];
    require(histogram.low <= histogram.high, "a histogram's range is not reversed");
    require(!histogram.bins.empty(), "a histogram has bins");
    require(i == 0 || profile.histograms[i - 1].high <= histogram.low,
            "histograms are ascending and disjoint");
  }
}

void check_round_trip(const RawProfile& profile, const GmonLayout& layout) {
  const auto written = write_gmon(profile, layout);
  if (!written) return;  // counts of a BSD file that would take too many records
  const auto again = read_gmon(*written, "written", layout, GmonFormatChoice::gnu);
  require(again.has_value(), "what is written can be read");
  const RawProfile before = added_up(profile);
  const RawProfile after = added_up(*again);
  require(same_histograms(before, after), "samples survive");
  require(before.arcs == after.arcs, "arcs survive");
  require(before.blocks == after.blocks, "block counts survive");
  require(before.rate == after.rate || profile.histogram_records == 0, "the rate survives");
  // A record of no block is not written again, and files without a record add nothing to a sum.
  const bool has_records = again->histogram_records + again->arc_records + again->block_records > 0;
  require(before.build_id_prefix == after.build_id_prefix || !has_records,
          "the build-id prefix survives");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const GmonLayout layout{(data[0] & 1) != 0 ? PointerWidth::four : PointerWidth::eight,
                          (data[0] & 2) != 0 ? ByteOrder::big : ByteOrder::little};
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  const auto identity = identify_gmon(bytes, "input");
  if (identity) {
    require(read_gmon(bytes, "input", identity->layout).has_value(),
            "an identified file can be read in the layout found");
  }
  const auto profile = read_gmon(bytes, "input", layout, choices[data[0] >> 2 & 3]);
  if (!profile) {
    require(!profile.error().message.empty(), "an error says what went wrong");
    return 0;
  }
  check_histograms(*profile);
  check_round_trip(*profile, layout);
  return 0;
}
