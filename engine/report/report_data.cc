#include "engine/report/report_data.h"

#include <algorithm>
#include <utility>

#include "engine/support/saturating.h"

namespace gprof {

BlockTally::BlockTally(std::span<const BlockCount> blocks, const SourceSymbolTable& symbols) {
  if (blocks.empty()) return;
  std::vector<std::vector<BlockCount>> of_symbol(symbols.size());
  for (const BlockCount& block : blocks) {
    const auto symbol = symbols.find(block.address);
    if (!symbol) continue;
    std::vector<BlockCount>& known = of_symbol[*symbol];
    const auto same = std::ranges::find(known, block.address, &BlockCount::address);
    if (same != known.end()) {
      same->count = saturating_add(same->count, block.count);
    } else if (known.size() < most_blocks_a_symbol) {
      known.push_back(block);
    }
  }
  first_.reserve(symbols.size() + 1);
  for (const std::vector<BlockCount>& known : of_symbol) {
    first_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    blocks_.insert(blocks_.end(), known.begin(), known.end());
  }
  first_.push_back(static_cast<std::uint32_t>(blocks_.size()));
}

std::span<const BlockCount> BlockTally::of(SymbolIndex symbol) const {
  if (first_.empty()) return {};
  return std::span(blocks_).subspan(first_[symbol], first_[symbol + 1] - first_[symbol]);
}

}  // namespace gprof
