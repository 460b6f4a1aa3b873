#include "engine/gmon/bin_counts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "engine/support/byte_reader.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

constexpr std::size_t stored_bytes = sizeof(std::uint16_t);
// Bins examined together: most of a histogram is zeros.
constexpr std::size_t block_bins = 16;

bool all_zero(const std::byte* bins) {
  std::array<std::uint64_t, block_bins * stored_bytes / sizeof(std::uint64_t)> words = {};
  std::memcpy(words.data(), bins, sizeof words);
  std::uint64_t any = 0;
  for (const std::uint64_t word : words) any |= word;
  return any == 0;
}

template <typename Count>
bool fits(std::uint64_t count) {
  return count <= std::numeric_limits<Count>::max();
}

// Adds the stored bins from `begin` on to the sums; the sum at `first` is the first bin's. Returns
// the bin whose sum overflows, or the number of bins.
template <typename Count>
std::size_t add_from(std::size_t begin, std::vector<Count>& sums, std::size_t first,
                     std::span<const std::byte> bins, ByteOrder order) {
  const std::size_t count = bins.size() / stored_bytes;
  for (std::size_t i = begin; i < count;) {
    const std::byte* at = bins.data() + stored_bytes * i;
    if (i % block_bins == 0 && i + block_bins <= count && all_zero(at)) {
      i += block_bins;
      continue;
    }
    Count& sum = sums[first + i];
    const std::uint64_t more = saturating_add(sum, stored_integer<std::uint16_t>(at, order));
    if (!fits<Count>(more)) return i;
    sum = static_cast<Count>(more);
    ++i;
  }
  return count;
}

}  // namespace

BinCounts::BinCounts(std::span<const std::uint64_t> counts) {
  resize(counts.size());
  std::size_t index = 0;
  for (const std::uint64_t count : counts) set(index++, count);
}

std::size_t BinCounts::size() const {
  return std::visit([](const auto& counts) { return counts.size(); }, counts_);
}

std::uint64_t BinCounts::operator[](std::size_t index) const {
  return std::visit([&](const auto& counts) { return std::uint64_t{counts[index]}; }, counts_);
}

void BinCounts::resize(std::size_t count) {
  std::visit([&](auto& counts) { counts.resize(count); }, counts_);
}

void BinCounts::assign(std::size_t count, std::uint64_t value) {
  widen_for(value);
  std::visit(
      [&](auto& counts) {
        using Count = typename std::decay_t<decltype(counts)>::value_type;
        counts.assign(count, static_cast<Count>(value));
      },
      counts_);
}

void BinCounts::widen_for(std::uint64_t count) {
  const auto widen_to = [&]<typename Count>(Count) {
    counts_ = std::visit(
        [](const auto& counts) { return std::vector<Count>(counts.begin(), counts.end()); },
        counts_);
  };
  if (counts_.index() < 2 && !fits<std::uint32_t>(count)) {
    widen_to(std::uint64_t{});
  } else if (counts_.index() < 1 && !fits<std::uint16_t>(count)) {
    widen_to(std::uint32_t{});
  }
}

void BinCounts::set(std::size_t index, std::uint64_t count) {
  widen_for(count);
  std::visit(
      [&](auto& counts) {
        using Count = typename std::decay_t<decltype(counts)>::value_type;
        counts[index] = static_cast<Count>(count);
      },
      counts_);
}

void BinCounts::add(std::size_t index, std::uint64_t count) {
  set(index, saturating_add(std::as_const(*this)[index], count));
}

void BinCounts::add(const BinCounts& other, std::size_t first) {
  const std::size_t room = size() - std::min(size(), first);
  other.visit_used([&](std::size_t index, std::uint64_t count) {
    if (index < room) add(first + index, count);
  });
}

void BinCounts::add_stored(std::span<const std::byte> bins, ByteOrder order, std::size_t first) {
  const std::size_t room = size() - std::min(size(), first);
  const std::size_t count = std::min(room, bins.size() / stored_bytes);
  bins = bins.first(stored_bytes * count);
  for (std::size_t at = 0; at < count;) {
    at = std::visit([&](auto& sums) { return add_from(at, sums, first, bins, order); }, counts_);
    if (at == count) return;
    // This call widens the bins; the loop continues with the wider ones.
    add(first + at, stored_integer<std::uint16_t>(bins.data() + stored_bytes * at, order));
    ++at;
  }
}

bool operator==(const BinCounts& a, const BinCounts& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace gprof
