#include "engine/profile/profile.h"

#include <algorithm>

namespace gprof {

void Profile::places_of(Row stack, std::vector<Row>& places) const {
  places.clear();
  for (; stack != no_row; stack = stacks_[stack].caller) places.push_back(stacks_[stack].place);
}

// Callers come before what they call.
std::vector<bool> Profile::complete_stacks() const {
  std::vector<bool> complete(stacks_.size());
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    const StackNode& node = stacks_[i];
    complete[i] = node.caller == no_row ? places_[node.place].kind != PlaceKind::left_out
                                        : complete[node.caller];
  }
  return complete;
}

bool operator==(const Profile& a, const Profile& b) {
  const auto same_metric = [](const ProfileMetric& x, const ProfileMetric& y) {
    return x.metric == y.metric && x.amounts_a_unit == y.amounts_a_unit && x.order == y.order &&
           x.keeps_largest == y.keeps_largest;
  };
  return a.texts_ == b.texts_ && a.runs_ == b.runs_ && a.processes_ == b.processes_ &&
         a.threads_ == b.threads_ && a.modules_ == b.modules_ && a.places_ == b.places_ &&
         a.stacks_ == b.stacks_ && a.costs_ == b.costs_ && a.costs_left_out_ == b.costs_left_out_ &&
         std::ranges::equal(a.metrics_, b.metrics_, same_metric);
}

}  // namespace gprof
