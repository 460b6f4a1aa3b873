#include "engine/callgraph/timed_graph.h"

namespace gprof {

TimedGraph::Made::Made(const Parts& parts, const CallGraph* like, const MeasuredTimes* recounted)
    : estimated(CallGraph::build(parts.profile.self_ticks(), parts.profile.site_arcs(), {}, like)),
      measured(measured_times(parts.stacks, parts.inclusive, parts.profile.self_ticks().size(),
                              recounted)) {
  if (measured->known()) with_measured.emplace(estimated.with(*measured));
  times.emplace(with_measured ? *with_measured : estimated, *measured, parts.profile.errors());
}

TimedGraph::Made::Made(const Parts& parts, CallGraph stored)
    : estimated(std::move(stored)), measured(std::make_unique<const MeasuredTimes>()) {
  times.emplace(estimated, *measured, parts.profile.errors());
}

TimedGraph::TimedGraph(const Parts& parts, CallGraph estimated)
    : parts_(parts), owned_(std::make_unique<Made>(parts, std::move(estimated))) {
  made_.store(owned_.get(), std::memory_order_release);
}

void TimedGraph::make(const CallGraph* like, const MeasuredTimes* recounted) const {
  const std::lock_guard lock(making_);
  if (is_made()) return;
  owned_ = std::make_unique<Made>(parts_, like, recounted);
  made_.store(owned_.get(), std::memory_order_release);
}

}  // namespace gprof
