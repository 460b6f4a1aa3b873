#include "engine/report/graph_index.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>

#include "engine/support/radix_sort.h"

namespace gprof {
namespace {

// An entry with its sort keys.
struct SortedEntry {
  std::uint64_t time = 0;   // descending
  std::uint64_t calls = 0;  // descending
  GraphEntry entry;
};

std::uint64_t falling(double time) { return ~sortable(time); }

// Sorts the entries. Most of a program's symbols, especially under -l, have neither time nor calls:
// these come after the others without time, already ordered by name, and are not sorted.
class EntrySort {
 public:
  explicit EntrySort(const ReportData& data);

  template <typename Take>
  void take_all(const Take& take) const;

 private:
  // Symbols without time whose names have a leading underscore, or those whose names do not.
  struct Kind {
    std::vector<SortedEntry> called;
    std::vector<SymbolIndex> idle;
  };

  void add_cycles();
  // `by_name` are parts of the list of all symbols by name.
  void add_kind(Kind& kind, std::initializer_list<std::span<const SymbolIndex>> by_name);
  void add(Kind& kind, SymbolIndex symbol);
  void sort(std::span<SortedEntry> entries, std::uint64_t SortedEntry::*number) const;

  const ReportData& data_;
  std::vector<SortedEntry> timed_;
  std::vector<CycleNumber> cycles_of_no_time_;
  std::array<Kind, 2> kinds_;
};

EntrySort::EntrySort(const ReportData& data) : data_(data) {
  // Names with a leading underscore are adjacent.
  const std::span<const SymbolIndex> symbols = data.by_name;
  const auto first_from = [&](std::string_view name) {
    const auto found =
        std::partition_point(symbols.begin(), symbols.end(),
                             [&](SymbolIndex symbol) { return data.symbols[symbol].name < name; });
    return static_cast<std::size_t>(found - symbols.begin());
  };
  const std::size_t begin = first_from("_");
  const std::size_t end = first_from("`");
  add_cycles();
  add_kind(kinds_[0], {symbols.first(begin), symbols.subspan(end)});
  add_kind(kinds_[1], {symbols.subspan(begin, end - begin)});
  sort(timed_, &SortedEntry::time);
}

// They come before symbols, and keep their order among themselves.
void EntrySort::add_cycles() {
  for (CycleNumber cycle = 1; cycle <= data_.graph.cycle_count(); ++cycle) {
    const Ticks time = data_.graph.cycle(cycle).propagated.total();
    if (time == 0) {
      cycles_of_no_time_.push_back(cycle);
    } else {
      timed_.push_back({falling(time), 0, {no_symbol, cycle}});
    }
  }
}

void EntrySort::add(Kind& kind, SymbolIndex symbol) {
  const GraphNode& node = data_.graph.node(symbol);
  const SortedEntry entry{falling(node.propagated.total()), ~node.calls, {symbol, 0}};
  if (node.propagated.total() != 0) {
    timed_.push_back(entry);
  } else if (node.calls != 0) {
    kind.called.push_back(entry);
  } else {
    kind.idle.push_back(symbol);
  }
}

void EntrySort::add_kind(Kind& kind, std::initializer_list<std::span<const SymbolIndex>> by_name) {
  // Nodes are ordered by address: prefetch far enough ahead.
  constexpr std::size_t ahead = 16;
  const std::size_t begin = timed_.size();
  for (const std::span<const SymbolIndex> symbols : by_name) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      if (i + ahead < symbols.size()) data_.graph.prefetch_node(symbols[i + ahead]);
      add(kind, symbols[i]);
    }
  }
  sort(std::span(timed_).subspan(begin), &SortedEntry::calls);
  sort(kind.called, &SortedEntry::calls);
}

void EntrySort::sort(std::span<SortedEntry> entries, std::uint64_t SortedEntry::*number) const {
  std::vector<SortedEntry> scratch(entries.size());
  radix_sort(entries, std::span(scratch),
             [number](const SortedEntry& entry) { return entry.*number; });
}

template <typename Take>
void EntrySort::take_all(const Take& take) const {
  const auto below_zero =
      std::partition_point(timed_.begin(), timed_.end(),
                           [](const SortedEntry& entry) { return entry.time < falling(0); });
  std::for_each(timed_.begin(), below_zero, [&](const SortedEntry& one) { take(one.entry); });
  for (const CycleNumber cycle : cycles_of_no_time_) take({no_symbol, cycle});
  for (const Kind& kind : kinds_) {
    for (const SortedEntry& one : kind.called) take(one.entry);
    for (const SymbolIndex symbol : kind.idle) take({symbol, 0});
  }
  std::for_each(below_zero, timed_.end(), [&](const SortedEntry& one) { take(one.entry); });
}

}  // namespace

GraphIndex::GraphIndex(const ReportData& data) {
  const EntrySort sorted(data);
  symbol_numbers_.resize(data.symbols.size());
  cycle_numbers_.resize(data.graph.cycle_count());
  entries_.reserve(data.symbols.size() + data.graph.cycle_count());
  sorted.take_all([&](const GraphEntry& entry) {
    entries_.push_back(entry);
    const auto number = static_cast<std::uint32_t>(entries_.size());
    (entry.is_cycle() ? cycle_numbers_[entry.cycle - 1] : symbol_numbers_[entry.symbol]) = number;
  });
}

}  // namespace gprof
