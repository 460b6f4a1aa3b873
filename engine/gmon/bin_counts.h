// The counts of a histogram's bins, all as wide as the largest needs: files hold 16 bits per bin,
// and nearly all counts stay that small, while sums and counted costs need up to 64 bits. A
// histogram has a bin every few bytes of code, and most are empty.
//
// Thread contract: as a vector. Errors: none; counts saturate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "engine/support/units.h"

namespace gprof {

class BinCounts {
 public:
  // A writable bin.
  class Reference {
   public:
    operator std::uint64_t() const { return std::as_const(bins_)[index_]; }
    Reference& operator=(std::uint64_t count) {
      bins_.set(index_, count);
      return *this;
    }

   private:
    friend class BinCounts;
    Reference(BinCounts& bins, std::size_t index) : bins_(bins), index_(index) {}
    BinCounts& bins_;
    std::size_t index_;
  };

  class Iterator {
   public:
    using value_type = std::uint64_t;
    using difference_type = std::ptrdiff_t;
    using reference = std::uint64_t;
    using pointer = const std::uint64_t*;
    using iterator_category = std::input_iterator_tag;
    Iterator(const BinCounts& bins, std::size_t index) : bins_(&bins), index_(index) {}
    std::uint64_t operator*() const { return (*bins_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    const BinCounts* bins_;
    std::size_t index_;
  };

  BinCounts() = default;
  explicit BinCounts(std::size_t count) { resize(count); }
  BinCounts(std::initializer_list<std::uint64_t> counts)
      : BinCounts(std::span(counts.begin(), counts.size())) {}
  BinCounts(const std::vector<std::uint64_t>& counts) : BinCounts(std::span(counts)) {}

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::uint64_t operator[](std::size_t index) const;
  [[nodiscard]] Reference operator[](std::size_t index) { return {*this, index}; }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

  // New bins hold 0.
  void resize(std::size_t count);
  void assign(std::size_t count, std::uint64_t value);
  void set(std::size_t index, std::uint64_t count);
  void add(std::size_t index, std::uint64_t count);
  // Bin by bin, starting at bin `first`, as far as both go.
  void add(const BinCounts& other, std::size_t first = 0);
  // The same for bins of 16 bits, as in files.
  void add_stored(std::span<const std::byte> bins, ByteOrder order, std::size_t first = 0);

  // visit(index, count) for each nonzero bin, ascending.
  template <typename Visit>
  void visit_used(const Visit& visit) const {
    std::visit(
        [&](const auto& counts) {
          for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] != 0) visit(i, std::uint64_t{counts[i]});
          }
        },
        counts_);
  }

  friend bool operator==(const BinCounts& a, const BinCounts& b);

 private:
  explicit BinCounts(std::span<const std::uint64_t> counts);

  // Makes bins wide enough for `count`.
  void widen_for(std::uint64_t count);

  std::variant<std::vector<std::uint16_t>, std::vector<std::uint32_t>, std::vector<std::uint64_t>>
      counts_;
};

}  // namespace gprof
