#include "runtime/output/gmon_histogram.h"

#include <cerrno>

#include "runtime/output/array_order.h"

namespace gprof_runtime {
namespace {

constexpr std::uint8_t histogram_tag = 0;
constexpr std::uint64_t bin_width = 2;
constexpr std::uint64_t window_size = 1024;
constexpr std::uint64_t largest_whole_range = 131072;
constexpr std::uint64_t largest_bin = 65535;
// The limit for one count: docs/gmon-format.md.
constexpr std::uint64_t most_records = 4096;

struct Bin {
  std::uint64_t address;
  std::uint64_t count;
};

using Bins = AnonymousArray<Bin>;

struct Range {
  std::uint64_t low;
  std::uint64_t high;
};

std::uint64_t round_down(std::uint64_t address, std::uint64_t unit) {
  return address / unit * unit;
}

std::uint64_t round_up(std::uint64_t address, std::uint64_t unit) {
  return round_down(address + unit - 1, unit);
}

Range code_range(const Module& module) {
  const std::uint64_t low = round_down(module.text_low, bin_width);
  return {low, larger(round_up(module.text_high, bin_width), low + bin_width)};
}

// Sums the samples in the range, which are sorted, by bin.
void collect_bins(const Gathered& gathered, std::uint32_t module, const Range& range, Bins& bins) {
  for (const SamplePlace& sample : gathered.samples) {
    if (sample.module != module || sample.address < range.low || sample.address >= range.high) {
      continue;
    }
    bins.append({round_down(sample.address, bin_width), sample.count});
  }
  sum_neighbours(bins, [](const Bin& a, const Bin& b) { return a.address == b.address; });
}

class HistogramWriter {
 public:
  HistogramWriter(OutputFile& file, const Bins& bins, std::uint32_t rate)
      : file_(file), bins_(bins), rate_(rate) {}

  // Writes the range's bins, [first, last), in as many records as the largest count needs.
  void write_range(const Range& range, std::size_t first, std::size_t last) {
    std::uint64_t largest = 0;
    for (std::size_t i = first; i < last; ++i) largest = larger(largest, bins_[i].count);
    largest = smaller(largest, largest_bin * most_records);
    std::uint64_t written = 0;
    do {
      write_record(range, first, last, written);
      written += largest_bin;
    } while (written < largest);
  }

 private:
  void write_header(const Range& range) {
    static constexpr char dimension[16] = {'s', 'e', 'c', 'o', 'n', 'd', 's', 0,
                                           0,   0,   0,   0,   0,   0,   0,   's'};
    file_.write_value(histogram_tag);
    file_.write_value(range.low);
    file_.write_value(range.high);
    file_.write_value(static_cast<std::uint32_t>((range.high - range.low) / bin_width));
    file_.write_value(rate_);
    file_.write(dimension, sizeof dimension);
  }

  // Writes what remains of each bin after records that hold `written` of it.
  void write_record(const Range& range, std::size_t first, std::size_t last,
                    std::uint64_t written) {
    write_header(range);
    std::uint64_t next = range.low;
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t count = bins_[i].count;
      if (count <= written) continue;
      file_.write_zeros(bins_[i].address - next);
      file_.write_value(static_cast<std::uint16_t>(smaller(count - written, largest_bin)));
      next = bins_[i].address + bin_width;
    }
    file_.write_zeros(range.high - next);
  }

  OutputFile& file_;
  const Bins& bins_;
  std::uint32_t rate_;
};

Range window_of(std::uint64_t address, const Range& code) {
  const std::uint64_t low = round_down(address, window_size);
  return {larger(low, code.low), smaller(low + window_size, code.high)};
}

}  // namespace

void write_histograms(OutputFile& file, const Gathered& gathered, std::uint32_t module,
                      std::uint32_t rate) {
  static_assert(bin_width == sizeof(std::uint16_t), "gaps are as long in the file as in the code");
  const Range code = code_range(gathered.modules[module]);
  Bins bins;
  collect_bins(gathered, module, code, bins);
  if (!bins.complete()) return file.fail(ENOMEM);
  HistogramWriter writer(file, bins, rate);
  if (code.high - code.low <= largest_whole_range) {
    return writer.write_range(code, 0, bins.size());
  }
  // Without any record GNU gprof prints no times at all.
  if (bins.empty()) return writer.write_range(window_of(code.low, code), 0, 0);
  for (std::size_t first = 0; first < bins.size();) {
    const Range window = window_of(bins[first].address, code);
    std::size_t last = first + 1;
    while (last < bins.size() && bins[last].address < window.high) ++last;
    writer.write_range(window, first, last);
    first = last;
  }
}

}  // namespace gprof_runtime
