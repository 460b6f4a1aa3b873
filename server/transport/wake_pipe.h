// A descriptor that becomes readable when another thread says so, and stays readable.
//
// Ownership: owns its two descriptors. Thread contract: any thread.
#pragma once

#include <chrono>
#include <optional>

namespace gprof::lsp {

class WakePipe {
 public:
  // ok() is false where the system has no descriptors left.
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

// Waits until `descriptor` is ready for `events` (of poll()), until wake() was called or until the
// time is over; without a time, for ever. Says whether the descriptor is ready; one that has failed
// is.
[[nodiscard]] bool wait_for(int descriptor, short events, const WakePipe& wake,
                            std::optional<std::chrono::milliseconds> longest);

}  // namespace gprof::lsp
