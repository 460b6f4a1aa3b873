#include "engine/report/function_ordering.h"

#include <algorithm>

#include "engine/support/saturating.h"

namespace gprof {
namespace {

std::uint64_t total_calls(const std::vector<OrderingArc>& arcs) {
  std::uint64_t total = 0;
  for (const OrderingArc& arc : arcs) total = saturating_add(total, arc.count);
  return total;
}

bool beyond(std::uint64_t calls, double share, std::uint64_t total) {
  return static_cast<double>(calls) > share * static_cast<double>(total);
}

}  // namespace

std::vector<OrderingArc> ordering_arcs(const CallGraph& graph) {
  std::vector<OrderingArc> arcs;
  for (ArcIndex index = 0; index < graph.arcs().size(); ++index) {
    const GraphArc& arc = graph.arc(index);
    if (arc.caller == no_symbol || arc.caller == arc.callee) continue;
    arcs.push_back({index, arc.caller, arc.callee, arc.count});
  }
  std::ranges::stable_sort(arcs, std::ranges::greater{}, &OrderingArc::count);
  return arcs;
}

std::vector<OrderingArc> ArcChains::place(std::vector<OrderingArc> arcs, bool all,
                                          std::vector<SymbolIndex>& order) {
  std::vector<OrderingArc> left_over;
  const std::uint64_t total = total_calls(arcs);
  std::uint64_t calls = 0;
  for (OrderingArc& arc : arcs) {
    calls = saturating_add(calls, arc.count);
    if (arc.placed) continue;
    const bool rare = !all && beyond(calls, 0.99, total);
    if (!rare && !placed_[arc.caller] && !placed_[arc.callee]) {
      arc.placed = link(arc.caller, arc.callee);
    }
    if (!arc.placed) left_over.push_back(arc);
  }
  for (const OrderingArc& arc : arcs) {
    if (!arc.placed || placed_[arc.caller] || placed_[arc.callee]) continue;
    if (links_[arc.caller].chain != no_chain) append_chain(arc.caller, order);
  }
  return left_over;
}

void ArcChains::append_chain(SymbolIndex symbol, std::vector<SymbolIndex>& order) {
  const std::uint32_t chain = links_[symbol].chain;
  SymbolIndex next = chain == no_chain ? symbol : chains_[chain].head;
  for (; next != no_symbol; next = links_[next].next) {
    if (!placed_[next]) order.push_back(next);
    placed_[next] = true;
  }
}

bool ArcChains::link(SymbolIndex caller, SymbolIndex callee) {
  const bool caller_in_chain = links_[caller].chain != no_chain;
  const bool callee_in_chain = links_[callee].chain != no_chain;
  if (caller_in_chain && callee_in_chain) return false;
  if (callee_in_chain) {
    join(caller, callee, true);
  } else if (caller_in_chain) {
    join(callee, caller, false);
  } else {
    start_chain(caller, callee);
  }
  return true;
}

void ArcChains::start_chain(SymbolIndex caller, SymbolIndex callee) {
  const auto chain = static_cast<std::uint32_t>(chains_.size());
  chains_.push_back({caller, callee});
  links_[caller] = {callee, chain, 0};
  links_[callee] = {no_symbol, chain, 1};
}

void ArcChains::join(SymbolIndex symbol, SymbolIndex partner, bool before) {
  Chain& chain = chains_[links_[partner].chain];
  const std::int64_t position = links_[partner].position;
  const std::int64_t to_head = position - links_[chain.head].position;
  const std::int64_t to_tail = links_[chain.tail].position - position;
  Link& link = links_[symbol];
  link.chain = links_[partner].chain;
  if (to_head < to_tail || (before && to_head == to_tail)) {
    link.next = chain.head;
    link.position = links_[chain.head].position - 1;
    chain.head = symbol;
  } else {
    links_[chain.tail].next = symbol;
    link.position = links_[chain.tail].position + 1;
    chain.tail = symbol;
  }
}

namespace {

// The callees of many busy arcs, which gprof puts first.
class BusyCallees {
 public:
  BusyCallees(const ReportData& data, std::vector<OrderingArc>& arcs,
              const std::vector<SymbolIndex>& called)
      : data_(data), arcs_(arcs), busy_(called) {
    choose();
  }

  // Appends them to the order and marks their arcs as placed.
  void place(ArcChains& chains, std::vector<SymbolIndex>& order);

 private:
  void choose();
  void mark(ArcChains& chains);
  [[nodiscard]] std::vector<OrderingArc> take_arcs(ArcChains& chains) const;

  const ReportData& data_;
  std::vector<OrderingArc>& arcs_;
  std::vector<SymbolIndex> busy_;
};

void BusyCallees::choose() {
  std::vector<std::uint32_t> busy_arcs(data_.symbols.size());
  const std::uint64_t total = total_calls(arcs_);
  std::uint64_t calls = 0;
  for (const OrderingArc& arc : arcs_) {
    calls = saturating_add(calls, arc.count);
    if (beyond(calls, 0.9, total)) break;
    ++busy_arcs[arc.callee];
  }
  const auto count = [&](SymbolIndex symbol) { return busy_arcs[symbol]; };
  const std::size_t most = busy_.size() / 80;
  std::ranges::stable_sort(busy_, std::ranges::greater{}, count);
  busy_.resize(most);
  // Exactly five ends the list, fewer does not: as in gprof 2.40.
  busy_.erase(std::ranges::find(busy_, 5U, count), busy_.end());
}

void BusyCallees::mark(ArcChains& chains) {
  std::vector<bool> busy(data_.symbols.size());
  for (const SymbolIndex symbol : busy_) {
    busy[symbol] = true;
    chains.set_placed(symbol, true);
  }
  for (OrderingArc& arc : arcs_) arc.placed = busy[arc.caller] || busy[arc.callee];
}

// Uses every function once: both ends of a taken arc become free again. Functions never called
// count as placed, so that a busy function's caller may be one of them.
std::vector<OrderingArc> BusyCallees::take_arcs(ArcChains& chains) const {
  std::vector<OrderingArc> taken;
  const auto take = [&](ArcIndex index) {
    const GraphArc& arc = data_.graph.arc(index);
    if (arc.caller == no_symbol || arc.caller == arc.callee) return;
    if (!chains.placed(arc.caller) || !chains.placed(arc.callee)) return;
    chains.set_placed(arc.caller, false);
    chains.set_placed(arc.callee, false);
    taken.push_back({index, arc.caller, arc.callee, arc.count, true});
  };
  for (const SymbolIndex symbol : busy_) {
    std::ranges::for_each(data_.graph.callees(symbol), take);
    std::ranges::for_each(data_.graph.callers(symbol), take);
  }
  std::ranges::stable_sort(taken, std::ranges::greater{}, &OrderingArc::count);
  return taken;
}

void BusyCallees::place(ArcChains& chains, std::vector<SymbolIndex>& order) {
  if (busy_.empty()) return;
  mark(chains);
  const std::vector<OrderingArc> taken = take_arcs(chains);
  // The last one is lost, as in gprof.
  for (std::size_t i = 0; i + 1 < busy_.size(); ++i) {
    if (chains.placed(busy_[i])) order.push_back(busy_[i]);
  }
  // Of an arc's two functions, the callee is placed with those that have no place.
  for (const OrderingArc& arc : taken) {
    if (!chains.placed(arc.caller)) chains.append_chain(arc.caller, order);
  }
}

// gprof 2.40 treats the arcs of the command line (-k, -q FROM/TO) as arcs of the program: each adds
// its two functions, the last one first.
void append_arcs_of_symspecs(const ReportData& data, std::vector<SymbolIndex>& order) {
  for (const ArcSet* arcs : {&data.selected.excluded_arcs(), &data.selected.included_arcs()}) {
    const auto ends = arcs->lowest_ends();
    for (std::size_t i = ends.size(); i-- > 0;) {
      for (const Address address : {ends[i].from, ends[i].to}) {
        if (const auto symbol = data.symbols.find(address)) order.push_back(*symbol);
      }
    }
  }
}

}  // namespace

void append_function_ordering(const ReportData& data, TextOutput& text) {
  const auto symbol_count = static_cast<SymbolIndex>(data.symbols.size());
  ArcChains chains(symbol_count);
  std::vector<SymbolIndex> called;
  for (SymbolIndex symbol = 0; symbol < symbol_count; ++symbol) {
    if (data.graph.node(symbol).calls != 0) {
      called.push_back(symbol);
    } else {
      chains.set_placed(symbol, true);
    }
  }
  std::vector<SymbolIndex> order;
  std::vector<OrderingArc> arcs = ordering_arcs(data.graph);
  BusyCallees(data, arcs, called).place(chains, order);
  const auto left_over = chains.place(std::move(arcs), false, order);
  chains.place(left_over, true, order);
  append_arcs_of_symspecs(data, order);
  for (const SymbolIndex symbol : called) {
    if (!chains.placed(symbol)) order.push_back(symbol);
  }
  for (SymbolIndex symbol = 0; symbol < symbol_count; ++symbol) {
    const bool is_function = symbol != data.unknown_code;
    if (is_function && data.graph.node(symbol).calls == 0) order.push_back(symbol);
  }
  for (const SymbolIndex symbol : order) {
    text.append(RangeKind::function, data.symbols[symbol].name, data.symbols[symbol].address.value);
    text += '\n';
  }
}

}  // namespace gprof
