// A descriptor that another thread can make readable, and that stays readable.
//
// Ownership: owns its two descriptors. Thread contract: any thread.
#pragma once

#include <chrono>
#include <optional>

namespace gprof::lsp {

class WakePipe {
 public:
  // ok() is false if the system has no descriptors left.
  WakePipe();
  ~WakePipe();
  WakePipe(const WakePipe&) = delete;
  WakePipe& operator=(const WakePipe&) = delete;

  [[nodiscard]] bool ok() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  void wake() const;

 private:
  int descriptor_ = -1;
};

// Waits until `descriptor` is ready for `events` (as in poll()), wake() is called, or the timeout
// expires; without a timeout, forever. Returns whether the descriptor is ready; a failed one counts
// as ready.
[[nodiscard]] bool wait_for(int descriptor, short events, const WakePipe& wake,
                            std::optional<std::chrono::milliseconds> longest);

}  // namespace gprof::lsp
