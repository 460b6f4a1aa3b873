// Rules by which counters become gmon files, for the collector, which writes those of a program
// that ends, and for what reads the counters of one that runs or was killed: both have to give the
// same files. docs/gmon-format.md has them in words.
//
// Freestanding: pure functions of numbers, which allocate nothing and call nothing, since the
// collector runs in processes that are about to die. How entries are gathered, summed and sorted is
// each side's own: one reads tables that others are writing into memory of its own, the other a
// file that it cannot trust. Units: link-time addresses. Thread contract: pure functions. Errors:
// none; numbers that make no sense give ranges within the address space.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/live_file.h"
#include "formats/sidecar.h"

namespace gprof_formats {

struct CodeRange {
  std::uint64_t low;
  std::uint64_t high;
};

// Bins as narrow as the format allows, which say exactly where a sample was.
inline constexpr std::uint64_t bin_size = 2;
// A text up to this size is one histogram; of a larger one, windows around what was hit are.
inline constexpr std::uint64_t whole_text_size = 128 << 10;
inline constexpr std::uint64_t window_size = 1 << 10;
// What a record cannot hold goes on in another one, up to so many.
inline constexpr std::uint64_t most_records_a_count = 4096;
inline constexpr std::uint64_t most_samples_a_record = 0xffff;
inline constexpr std::uint64_t most_calls_a_record = 0xffffffff;

// What a file says of the rate where nothing was sampled: gprof divides by it.
constexpr std::uint32_t rate_in_file(std::uint32_t requested) {
  return requested != 0 ? requested : 100;
}

// Whether a library with these module_flags has a file once it counted something.
constexpr bool is_counting(std::uint32_t flags) {
  return (flags & (module_flags::profiled | module_flags::blocks)) != 0;
}

// Whether calls that were found on the stack went via uninstrumented code, by the flags of the
// module that they come from: not if it counts its own calls. 0 if the module is not known.
constexpr bool is_via_uninstrumented(std::uint32_t flags) {
  return (flags & module_flags::profiled) == 0;
}

// A part's kernel_count: its field is narrower than the sample's, and saturates.
constexpr std::uint32_t kernel_count_of_part(std::uint64_t count) {
  constexpr std::uint32_t most = 0xffffffff;
  return count < most ? static_cast<std::uint32_t>(count) : most;
}

constexpr std::uint64_t start_of_bin(std::uint64_t address) { return address - address % bin_size; }

// The text in whole bins; a text that is not known has one, since gprof wants a histogram.
constexpr CodeRange whole_bins(CodeRange text) {
  constexpr std::uint64_t highest = ~std::uint64_t{0} - 1;
  std::uint64_t low = start_of_bin(text.low);
  std::uint64_t high = text.high < highest ? text.high : highest;
  high += high % bin_size;
  if (low > highest - bin_size) low = highest - bin_size;
  return {low, high > low ? high : low + bin_size};
}

// The window that holds the address, as far as it lies in the text: the same one in every run.
constexpr CodeRange window_around(std::uint64_t address, std::uint64_t size, CodeRange text) {
  const std::uint64_t low = address - address % size;
  const std::uint64_t high = low > ~std::uint64_t{0} - size ? ~std::uint64_t{0} : low + size;
  return {low > text.low ? low : text.low, high < text.high ? high : text.high};
}

// visit(range, first, last) for each histogram of a file, and the bins in it. `bins`: those that
// were hit, ascending, in whole_bins(). There is always one histogram: without any, GNU gprof
// prints no times at all.
template <typename Bin, typename Visit>
constexpr void each_histogram(CodeRange text, std::uint64_t size_of_window, const Bin* bins,
                              std::size_t count, Visit visit) {
  if (text.high - text.low <= whole_text_size) return visit(text, std::size_t{0}, count);
  if (count == 0) return visit(window_around(text.low, size_of_window, text), count, count);
  for (std::size_t first = 0; first < count;) {
    const CodeRange window = window_around(bins[first].address, size_of_window, text);
    std::size_t last = first + 1;
    while (last < count && bins[last].address < window.high) ++last;
    visit(window, first, last);
    first = last;
  }
}

// Whom a module's file names as the caller of one of its functions: an address within the module,
// behind code that is not profiled or right there; for calls from outside of it `outside`, which is
// the start of _init in a library's file, where no call returns to, and 0 in an executable's.
struct CallOrigin {
  std::uint32_t profiled_caller_module;
  std::uint64_t profiled_caller;
  std::uint32_t from_module;
  std::uint64_t from;
};
constexpr std::uint64_t caller_in_file(const CallOrigin& origin, std::uint32_t module,
                                       std::uint64_t outside) {
  if (origin.profiled_caller_module == module) return origin.profiled_caller;
  return origin.from_module == module ? origin.from : outside;
}

// Calls of a thread that has not ended, whose tables held those of others when it took them over.
constexpr std::uint64_t calls_of_running_thread(std::uint64_t in_tables, std::uint64_t before) {
  return in_tables > before ? in_tables - before : 0;
}

// Slices of the process's time, of equal width, begin at its start_time. Widths are the first one,
// doubled any number of times.
inline constexpr std::uint64_t first_slice_width = 1'000'000;
// So that the end of the last slice is a time.
inline constexpr std::uint64_t widest_slice = std::uint64_t{1} << 50U;

// The slice, of those that are `wide`, that holds the one of `width`; no_slice if there is none.
constexpr std::uint32_t joined_slice(std::uint32_t slice, std::uint64_t width, std::uint64_t wide) {
  if (slice == no_slice || width == 0 || wide < width || wide % width != 0) return no_slice;
  const std::uint64_t joined = slice / (wide / width);
  return joined < most_slices ? static_cast<std::uint32_t>(joined) : no_slice;
}

// How many slices a run has, of which `used` are the ones up to the last with a sample; none
// without samples.
constexpr std::uint32_t slices_of_run(std::uint32_t used, std::uint64_t width,
                                      std::uint64_t start_time, std::uint64_t end_time) {
  if (used == 0 || width == 0 || end_time <= start_time) return used;
  const std::uint64_t whole = (end_time - start_time - 1) / width + 1;
  const std::uint64_t slices = whole < most_slices ? whole : most_slices;
  return slices > used ? static_cast<std::uint32_t>(slices) : used;
}

// Where the count of a block is, whose call of the collector returns to the address.
constexpr std::uint64_t block_slot(std::uint64_t address) {
  return address - address % block_granule;
}

}  // namespace gprof_formats
