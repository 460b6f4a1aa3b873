// A profile's call graph and the times of its functions, made together when first asked for. In a
// program of a million functions this takes as long as everything before it, and what a line or a
// function costs by itself needs none of it.
//
// Ownership: owns what it makes, borrows what that is made from. Thread contract: any thread; the
// first that asks makes it, and others wait for it. is_made() never waits. Errors: none; if memory
// runs out, the next that asks tries again.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/function_times.h"
#include "engine/callgraph/measured_times.h"

namespace gprof {

class TimedGraph {
 public:
  // What it is made from, and must outlive it.
  struct Parts {
    const FunctionCosts& profile;
    const StackSamples& stacks;
    const InclusiveCosts& inclusive;
  };

  explicit TimedGraph(const Parts& parts) : parts_(parts) {}
  // From a stored index. It is made already if nothing was measured.
  TimedGraph(const Parts& parts, CallGraph estimated);

  [[nodiscard]] bool is_made() const { return made_.load(std::memory_order_acquire) != nullptr; }
  // `like`: null, or the estimated graph of a profile that has the same calls. `recounted`: null,
  // or of the stacks that those of the parts are recounted from.
  void make(const CallGraph* like = nullptr, const MeasuredTimes* recounted = nullptr) const;

  // With measured times if there are any; otherwise with gprof's estimates.
  [[nodiscard]] const CallGraph& graph() const {
    const Made& all = made();
    return all.with_measured ? *all.with_measured : *all.estimated;
  }
  // Made by itself if it was stored.
  [[nodiscard]] const CallGraph& estimated() const {
    return stored_ ? *stored_ : *made().estimated;
  }
  [[nodiscard]] const MeasuredTimes& measured() const { return *made().measured; }
  [[nodiscard]] const FunctionTimes& times() const { return *made().times; }

  // The estimated errors, to or from a stored index. Those of measured times are not kept.
  template <typename Stream>
  void store_errors(Stream& stream) const {
    if (!measured().known()) times().store(stream);
  }
  template <typename Stream>
  void restore_errors(Stream& stream) {
    if (is_made()) owned_->times->restore(stream);
  }
  [[nodiscard]] bool has_sound_errors(std::size_t symbols) const {
    return !is_made() || times().is_sound(symbols);
  }

 private:
  struct Made {
    Made(const Parts& parts, std::shared_ptr<const CallGraph> graph,
         const MeasuredTimes* recounted);

    std::shared_ptr<const CallGraph> estimated;     // never null
    std::unique_ptr<const MeasuredTimes> measured;  // never null
    std::optional<CallGraph> with_measured;
    std::optional<FunctionTimes> times;  // never empty
  };

  [[nodiscard]] const Made& made() const {
    const Made* known = made_.load(std::memory_order_acquire);
    if (known != nullptr) return *known;
    make();
    return *made_.load(std::memory_order_acquire);
  }

  const Parts parts_;
  const std::shared_ptr<const CallGraph> stored_;  // null unless it comes from a stored index
  mutable std::mutex making_;                      // guards owned_ until it is made
  mutable std::unique_ptr<Made> owned_;
  mutable std::atomic<const Made*> made_ = nullptr;
};

}  // namespace gprof
