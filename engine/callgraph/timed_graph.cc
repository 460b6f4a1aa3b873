#include "engine/callgraph/timed_graph.h"

namespace gprof {

TimedGraph::Made::Made(const Parts& parts, std::shared_ptr<const CallGraph> graph,
                       const MeasuredTimes* recounted)
    : estimated(std::move(graph)),
      measured(measured_times(parts.stacks, parts.inclusive, parts.profile.self_ticks().size(),
                              recounted)) {
  if (measured->known()) with_measured.emplace(estimated->with(*measured));
  times.emplace(with_measured ? *with_measured : *estimated, *measured, parts.profile.errors());
}

TimedGraph::TimedGraph(const Parts& parts, CallGraph estimated)
    : parts_(parts), stored_(std::make_shared<const CallGraph>(std::move(estimated))) {
  if (!can_be_measured(parts.stacks, parts.inclusive)) make();
}

void TimedGraph::make(const CallGraph* like, const MeasuredTimes* recounted) const {
  const std::lock_guard lock(making_);
  if (is_made()) return;
  auto estimated = stored_;
  if (estimated == nullptr) {
    estimated = std::make_shared<const CallGraph>(
        CallGraph::build(parts_.profile.self_ticks(), parts_.profile.site_arcs(), {}, like));
  }
  owned_ = std::make_unique<Made>(parts_, std::move(estimated), recounted);
  made_.store(owned_.get(), std::memory_order_release);
}

}  // namespace gprof
