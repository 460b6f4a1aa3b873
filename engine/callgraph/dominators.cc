#include "engine/callgraph/dominators.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace gprof {
namespace {

// Nodes are numbered from 1 in depth-first order; 0 is a node above all roots.
using Number = std::uint32_t;
constexpr Number none = std::numeric_limits<Number>::max();

struct SearchTree {
  std::vector<std::uint32_t> node_of;  // by number; meaningless at 0
  std::vector<Number> parent;          // by number
  std::vector<Number> number_of;       // by node; none if unreachable
};

SearchTree search(const ArcLists& successors, std::span<const std::uint32_t> roots) {
  SearchTree tree;
  tree.number_of.assign(successors.first.size() - 1, none);
  tree.node_of.push_back(0);
  tree.parent.push_back(0);
  struct Step {
    Number number;
    std::uint32_t next;
  };
  std::vector<Step> path;
  const auto enter = [&](std::uint32_t node, Number parent) {
    if (tree.number_of[node] != none) return;
    const auto number = static_cast<Number>(tree.node_of.size());
    tree.number_of[node] = number;
    tree.node_of.push_back(node);
    tree.parent.push_back(parent);
    path.push_back({number, successors.first[node]});
  };
  for (const std::uint32_t root : roots) {
    enter(root, 0);
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next == successors.first[tree.node_of[step.number] + 1]) {
        path.pop_back();
      } else {
        const std::uint32_t target = successors.targets[step.next++];
        enter(target, step.number);
      }
    }
  }
  return tree;
}

class DominatorSearch {
 public:
  DominatorSearch(const ArcLists& successors, std::span<const std::uint32_t> roots,
                  const SearchTree& tree)
      : tree_(tree),
        semi_(tree.node_of.size()),
        label_(tree.node_of.size()),
        ancestor_(tree.node_of.size(), none),
        waiting_(tree.node_of.size(), none),
        next_waiting_(tree.node_of.size(), none),
        dominator_(tree.node_of.size(), 0) {
    for (Number number = 0; number < semi_.size(); ++number)
      semi_[number] = label_[number] = number;
    collect_predecessors(successors, roots);
  }

  // The immediate dominator of each number, which is always a smaller one.
  std::vector<Number> run() {
    for (Number number = static_cast<Number>(semi_.size()) - 1; number > 0; --number) {
      for (std::uint32_t i = first_[number]; i < first_[number + 1]; ++i) {
        semi_[number] = std::min(semi_[number], semi_[best_above(predecessors_[i])]);
      }
      next_waiting_[number] = std::exchange(waiting_[semi_[number]], number);
      const Number parent = tree_.parent[number];
      ancestor_[number] = parent;
      for (Number known = std::exchange(waiting_[parent], none); known != none;
           known = next_waiting_[known]) {
        const Number best = best_above(known);
        dominator_[known] = semi_[best] < semi_[known] ? best : parent;
      }
    }
    for (Number number = 1; number < semi_.size(); ++number) {
      if (dominator_[number] != semi_[number]) {
        dominator_[number] = dominator_[dominator_[number]];
      }
    }
    return std::move(dominator_);
  }

 private:
  void collect_predecessors(const ArcLists& successors, std::span<const std::uint32_t> roots) {
    const auto each_arc = [&](const auto& visit) {
      for (const std::uint32_t root : roots) visit(0, tree_.number_of[root]);
      for (Number from = 1; from < tree_.node_of.size(); ++from) {
        const std::uint32_t node = tree_.node_of[from];
        for (std::uint32_t i = successors.first[node]; i < successors.first[node + 1]; ++i) {
          visit(from, tree_.number_of[successors.targets[i]]);
        }
      }
    };
    first_.assign(semi_.size() + 1, 0);
    each_arc([&](Number /*from*/, Number to) { ++first_[to + 1]; });
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    predecessors_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    each_arc([&](Number from, Number to) { predecessors_[next[to]++] = from; });
  }

  // The number with the smallest semidominator on the path from `number` to the root of its tree of
  // the links so far, excluding the root.
  Number best_above(Number number) {
    if (ancestor_[number] == none) return number;
    for (Number at = number; ancestor_[ancestor_[at]] != none; at = ancestor_[at]) {
      way_.push_back(at);
    }
    for (; !way_.empty(); way_.pop_back()) {
      const Number at = way_.back();
      const Number above = ancestor_[at];
      if (semi_[label_[above]] < semi_[label_[at]]) label_[at] = label_[above];
      ancestor_[at] = ancestor_[above];
    }
    return label_[number];
  }

  const SearchTree& tree_;
  std::vector<std::uint32_t> first_;  // of predecessors_, by number
  std::vector<Number> predecessors_;
  std::vector<Number> semi_;
  std::vector<Number> label_;
  std::vector<Number> ancestor_;
  // Numbers with this semidominator and no known dominator yet, one list each.
  std::vector<Number> waiting_;
  std::vector<Number> next_waiting_;
  std::vector<Number> dominator_;
  std::vector<Number> way_;
};

}  // namespace

DominatorTree::DominatorTree(const ArcLists& successors, std::span<const std::uint32_t> roots) {
  const SearchTree tree = search(successors, roots);
  const std::vector<Number> dominator = DominatorSearch(successors, roots, tree).run();
  std::vector<std::uint32_t> size(dominator.size(), 1);
  for (Number number = static_cast<Number>(size.size()) - 1; number > 0; --number) {
    size[dominator[number]] += size[number];
  }
  spans_.resize(tree.number_of.size());
  std::vector<std::uint32_t> next(dominator.size(), 0);
  for (Number number = 1; number < dominator.size(); ++number) {
    std::uint32_t& place = next[dominator[number]];
    spans_[tree.node_of[number]] = {place, place + size[number]};
    next[number] = place + 1;
    place += size[number];
  }
}

std::vector<std::uint32_t> DominatorTree::outermost(std::span<const std::uint32_t> nodes) const {
  std::vector<std::uint32_t> sorted;
  for (const std::uint32_t node : nodes) {
    if (is_reached(node)) sorted.push_back(node);
  }
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return spans_[a].begin < spans_[b].begin; });
  std::uint32_t covered_to = 0;
  std::erase_if(sorted, [&](std::uint32_t node) {
    if (spans_[node].begin < covered_to) return true;
    covered_to = spans_[node].end;
    return false;
  });
  return sorted;
}

std::vector<double> DominatorTree::sums_behind(std::span<const double> values) const {
  std::vector<std::uint32_t> node_at(spans_.size());
  std::uint32_t count = 0;
  for (std::uint32_t node = 0; node < spans_.size(); ++node) {
    if (!is_reached(node)) continue;
    node_at[spans_[node].begin] = node;
    ++count;
  }
  // From last to first: subtrees summed so far but not yet part of a larger one are in `open`.
  std::vector<double> sums(spans_.size(), 0);
  std::vector<std::uint32_t> open;
  for (std::uint32_t place = count; place-- > 0;) {
    const std::uint32_t node = node_at[place];
    double sum = values[node];
    for (; !open.empty() && spans_[open.back()].begin < spans_[node].end; open.pop_back()) {
      sum += sums[open.back()];
    }
    sums[node] = sum;
    open.push_back(node);
  }
  return sums;
}

}  // namespace gprof
