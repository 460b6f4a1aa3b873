#include "engine/report/name_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "engine/support/radix_sort.h"

namespace gprof {
namespace {

constexpr std::size_t bytes_a_step = sizeof(std::uint64_t);

// The eight bytes of the name after `done`, as a number that sorts like them.
std::uint64_t step_of(std::string_view name, std::size_t done) {
  if (done >= name.size()) return 0;
  std::uint64_t step = 0;
  std::memcpy(&step, name.data() + done, std::min(name.size() - done, bytes_a_step));
  if constexpr (std::endian::native == std::endian::little) step = __builtin_bswap64(step);
  return step;
}

struct Entry {
  std::uint64_t step = 0;
  SymbolIndex symbol = 0;
};

// Symbols that agree in the first `done` bytes of their names.
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t done = 0;
};

class NameSort {
 public:
  explicit NameSort(const SourceSymbolTable& symbols)
      : symbols_(symbols), entries_(symbols.size()), scratch_(symbols.size()) {
    for (SymbolIndex i = 0; i < entries_.size(); ++i) entries_[i].symbol = i;
  }

  std::vector<SymbolIndex> order() {
    groups_.push_back({0, entries_.size(), 0});
    while (!groups_.empty()) {
      const Group group = groups_.back();
      groups_.pop_back();
      sort_by_step(group);
    }
    std::vector<SymbolIndex> order;
    order.reserve(entries_.size());
    for (const Entry& entry : entries_) order.push_back(entry.symbol);
    return order;
  }

 private:
  void sort_by_step(const Group& group);
  void settle_equal_steps(std::size_t begin, std::size_t end, std::size_t done);

  const SourceSymbolTable& symbols_;
  std::vector<Entry> entries_;
  std::vector<Entry> scratch_;
  std::vector<Group> groups_;  // not ordered yet
};

void NameSort::sort_by_step(const Group& group) {
  const auto entries = std::span(entries_).subspan(group.begin, group.end - group.begin);
  for (Entry& entry : entries) entry.step = step_of(symbols_[entry.symbol].name, group.done);
  radix_sort(entries, std::span(scratch_), [](const Entry& entry) { return entry.step; });
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && entries[end].step == entries[begin].step) ++end;
    settle_equal_steps(group.begin + begin, group.begin + end, group.done + bytes_a_step);
    begin = end;
  }
}

// A name that has ended comes before a longer one, even if that continues with zeros; names that
// have all ended are in order already.
void NameSort::settle_equal_steps(std::size_t begin, std::size_t end, std::size_t done) {
  if (end - begin < 2) return;
  const auto shown = [&](const Entry& entry) {
    return std::uint64_t{std::min(symbols_[entry.symbol].name.size(), done + 1)};
  };
  radix_sort(std::span(entries_).subspan(begin, end - begin), std::span(scratch_), shown);
  while (begin < end && shown(entries_[begin]) <= done) ++begin;
  if (end - begin > 1) groups_.push_back({begin, end, done});
}

}  // namespace

std::vector<SymbolIndex> symbols_by_name(const SourceSymbolTable& symbols) {
  return NameSort(symbols).order();
}

}  // namespace gprof
