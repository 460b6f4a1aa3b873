#include "runtime/output/gmon_histogram.h"

#include <cerrno>

#include "formats/gmon_rules.h"
#include "runtime/output/array_order.h"

namespace gprof_runtime {
namespace {

constexpr std::uint8_t histogram_tag = 0;

struct Bin {
  std::uint64_t address;
  std::uint64_t count;
};

using Bins = AnonymousArray<Bin>;

// The samples in the range, which are sorted, by bins.
void collect_bins(const Gathered& gathered, std::uint32_t module, const CodeRange& range,
                  Bins& bins) {
  for (const SamplePlace& sample : gathered.samples) {
    if (sample.module != module || sample.address < range.low || sample.address >= range.high) {
      continue;
    }
    bins.append({start_of_bin(sample.address), sample.count});
  }
  sum_neighbours(bins, [](const Bin& a, const Bin& b) { return a.address == b.address; });
}

class HistogramWriter {
 public:
  HistogramWriter(OutputFile& file, const Bins& bins, std::uint32_t rate)
      : file_(file), bins_(bins), rate_(rate) {}

  // The range's bins, which `first` and `last` delimit, in as many records as the largest needs.
  void write_range(const CodeRange& range, std::size_t first, std::size_t last) {
    std::uint64_t largest = 0;
    for (std::size_t i = first; i < last; ++i) largest = larger(largest, bins_[i].count);
    largest = smaller(largest, most_samples_a_record * most_records_a_count);
    std::uint64_t written = 0;
    do {
      write_record(range, first, last, written);
      written += most_samples_a_record;
    } while (written < largest);
  }

 private:
  void write_header(const CodeRange& range) {
    static constexpr char dimension[16] = {'s', 'e', 'c', 'o', 'n', 'd', 's', 0,
                                           0,   0,   0,   0,   0,   0,   0,   's'};
    file_.write_value(histogram_tag);
    file_.write_value(range.low);
    file_.write_value(range.high);
    file_.write_value(static_cast<std::uint32_t>((range.high - range.low) / bin_size));
    file_.write_value(rate_);
    file_.write(dimension, sizeof dimension);
  }

  // What of each bin is left behind records that hold `written` of it.
  void write_record(const CodeRange& range, std::size_t first, std::size_t last,
                    std::uint64_t written) {
    write_header(range);
    std::uint64_t next = range.low;
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t count = bins_[i].count;
      if (count <= written) continue;
      file_.write_zeros(bins_[i].address - next);
      file_.write_value(
          static_cast<std::uint16_t>(smaller(count - written, most_samples_a_record)));
      next = bins_[i].address + bin_size;
    }
    file_.write_zeros(range.high - next);
  }

  OutputFile& file_;
  const Bins& bins_;
  std::uint32_t rate_;
};

}  // namespace

void write_histograms(OutputFile& file, const Gathered& gathered, std::uint32_t module,
                      std::uint32_t rate) {
  static_assert(bin_size == sizeof(std::uint16_t), "gaps are as long in the file as in the code");
  const Module& written = gathered.modules[module];
  const CodeRange code = whole_bins({written.text_low, written.text_high});
  Bins bins;
  collect_bins(gathered, module, code, bins);
  if (!bins.complete()) return file.fail(ENOMEM);
  HistogramWriter writer(file, bins, rate);
  each_histogram(code, window_size, bins.data(), bins.size(),
                 [&](const CodeRange& range, std::size_t first, std::size_t last) {
                   writer.write_range(range, first, last);
                 });
}

}  // namespace gprof_runtime
