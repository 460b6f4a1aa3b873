#include "engine/report/graph_index.h"

#include "engine/support/radix_sort.h"

namespace gprof {
namespace {

// An entry with one of the numbers by which entries are sorted.
struct KeyedEntry {
  std::uint64_t key = 0;
  GraphEntry entry;
};

// Sorts stably, once for each number that decides, from the least to the most important one.
class EntrySort {
 public:
  explicit EntrySort(const ReportData& data) : data_(data) {
    // By name. Cycles come first, and keep their order among themselves.
    entries_.reserve(data.symbols.size() + data.graph.cycle_count());
    for (CycleNumber cycle = 1; cycle <= data.graph.cycle_count(); ++cycle) {
      entries_.push_back({0, {no_symbol, cycle}});
    }
    for (const SymbolIndex symbol : data.by_name) entries_.push_back({0, {symbol, 0}});
    scratch_.resize(entries_.size());
  }

  template <typename Number>
  void sort_by(const Number& number) {
    for (KeyedEntry& entry : entries_) entry.key = number(entry.entry);
    radix_sort(std::span(entries_), std::span(scratch_),
               [](const KeyedEntry& entry) { return entry.key; });
  }
  [[nodiscard]] std::span<const KeyedEntry> entries() const { return entries_; }

  // Most calls first.
  void sort_by_calls() {
    sort_by([&](const GraphEntry& entry) {
      return entry.is_cycle() ? 0 : ~data_.graph.node(entry.symbol).calls;
    });
  }
  // Cycles first, then names without a leading underscore.
  void sort_by_kind() {
    sort_by([&](const GraphEntry& entry) -> std::uint64_t {
      if (entry.is_cycle()) return 0;
      return data_.symbols[entry.symbol].name.starts_with('_') ? 2 : 1;
    });
  }
  // The longest time first.
  void sort_by_time() {
    sort_by([&](const GraphEntry& entry) {
      const Propagation& time = entry.is_cycle() ? data_.graph.cycle(entry.cycle).propagated
                                                 : data_.graph.node(entry.symbol).propagated;
      return ~sortable(time.total());
    });
  }

 private:
  const ReportData& data_;
  std::vector<KeyedEntry> entries_;
  std::vector<KeyedEntry> scratch_;
};

}  // namespace

GraphIndex::GraphIndex(const ReportData& data) {
  EntrySort sort(data);
  sort.sort_by_calls();
  sort.sort_by_kind();
  sort.sort_by_time();
  symbol_numbers_.resize(data.symbols.size());
  cycle_numbers_.resize(data.graph.cycle_count());
  entries_.reserve(sort.entries().size());
  for (const KeyedEntry& sorted : sort.entries()) {
    const GraphEntry& entry = entries_.emplace_back(sorted.entry);
    const auto number = static_cast<std::uint32_t>(entries_.size());
    (entry.is_cycle() ? cycle_numbers_[entry.cycle - 1] : symbol_numbers_[entry.symbol]) = number;
  }
}

}  // namespace gprof
