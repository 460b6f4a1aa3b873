// Like IndexTable, for elements that mostly come in consecutive groups: an element is then looked
// up among the last few, which are in the cache, where a table of millions is not.
//
// Thread contract: one thread. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/support/index_table.h"

namespace gprof {

class GroupedTable {
 public:
  // `group_of(i)` returns the group of the i-th of `count` elements to be looked up. Only members
  // of large groups go into a table, or all elements if the groups do not ascend.
  template <typename GroupOf>
  GroupedTable(std::size_t count, const GroupOf& group_of) {
    std::size_t in_table = 0;
    for (std::size_t begin = 0; begin < count;) {
      std::size_t end = begin + 1;
      while (end < count && group_of(end) == group_of(begin)) ++end;
      if (end < count && group_of(end) < group_of(begin)) {
        in_table = count;
        is_in_table_.assign(count, true);
        break;
      }
      if (end - begin > most_members) {
        is_in_table_.resize(count);
        std::fill(at(begin), at(end), true);
        in_table += end - begin;
      }
      begin = end;
    }
    if (in_table > 0) table_.emplace_back(in_table);
  }

  // Like IndexTable::find_or_add(), for the i-th element; `next` is the number of elements,
  // in_group(place) whether one is in the same group, hash() the hash.
  template <typename Hash, typename InGroup, typename Same>
  std::uint32_t find_or_add(std::size_t i, std::uint32_t next, const Hash& hash,
                            const InGroup& in_group, const Same& same) {
    if (!table_.empty() && is_in_table_[i]) return table_.front().find_or_add(hash(), next, same);
    for (std::uint32_t place = next; place > 0 && in_group(place - 1); --place) {
      if (same(place - 1)) return place - 1;
    }
    return next;
  }

 private:
  static constexpr std::size_t most_members = 64;

  std::vector<bool>::iterator at(std::size_t i) {
    return is_in_table_.begin() + static_cast<std::ptrdiff_t>(i);
  }

  std::vector<IndexTable> table_;  // one or none
  std::vector<bool> is_in_table_;  // empty if there is no table
};

}  // namespace gprof
