// The waits of a profile by where they are in the program's code: how long, how often, of which
// kind, who had the lock, and how much of it is idle (idle_waits.h).
//
// A wait is at every place on its stack, and blocks at the innermost one in the program's own code:
// what lies further in is a library that the program called.
//
// Units: nanoseconds; link-time addresses. Ownership: owns its data. Thread contract: immutable
// once finished.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/gmon/sidecar.h"
#include "engine/metrics/wait_kinds.h"
#include "engine/support/snapshot_file.h"
#include "engine/support/units.h"

namespace gprof {

[[nodiscard]] constexpr std::size_t place_of(WaitKind kind) {
  return static_cast<std::size_t>(kind) - 1;
}
[[nodiscard]] constexpr WaitKind wait_kind_at(std::size_t place) {
  return static_cast<WaitKind>(place + 1);
}

struct WaitTime {
  std::uint64_t time = 0;
  std::uint64_t times = 0;
  // Of the whole profile, whatever part of it is looked at.
  std::uint64_t longest = 0;

  void add(const WaitTime& other);

  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.number(self.time);
    stream.number(self.times);
    stream.number(self.longest);
  }
};

struct WaitTimes {
  std::array<WaitTime, wait_kind_count> kinds;  // by place_of()

  [[nodiscard]] WaitTime all() const;
  // The one with the most time.
  [[nodiscard]] WaitKind greatest() const;
  void add(const WaitTimes& other);
};

// Where a lock was taken for which others waited.
struct LockHolder {
  std::optional<Address> place;  // of the call, in the program's own code; none: in no such code
  std::uint64_t time = 0;        // that others waited for it
  std::uint64_t times = 0;
};

// Of the waits at some place.
struct WaitSummary {
  WaitTimes busy;  // what is not idle
  WaitTimes idle;
  std::size_t idle_threads = 0;
  std::vector<LockHolder> holders;  // most time first; at most `most_holders`

  static constexpr std::size_t most_holders = 16;
};

class WaitIndex {
 public:
  // Waits of one kind with one stack.
  struct Wait {
    WaitKind kind = WaitKind::other;
    WaitTime busy;
    WaitTime idle;
    std::vector<std::uint32_t> idle_threads;  // numbers that are a thread's own, in all runs
    std::vector<Address> places;              // in the program's own code, innermost first
    std::vector<LockHolder> holders;
  };

  void add(Wait wait);
  // Call once, after the last.
  void finish();

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.list(self.waits_, [&](auto& wait) {
      stream.number(wait.kind);
      WaitTime::exchange(wait.busy, stream);
      WaitTime::exchange(wait.idle, stream);
      stream.array(wait.idle_threads);
      stream.array(wait.places);
      stream.list(wait.holders, [&](auto& holder) {
        stream.optional(holder.place);
        stream.number(holder.time);
        stream.number(holder.times);
      });
    });
    if constexpr (is_reader<Stream>) {
      for (Wait& wait : std::exchange(self.waits_, {})) {
        const bool is_kind = place_of(wait.kind) < wait_kind_count;
        if (!is_kind) return stream.fail();
        self.add(std::move(wait));
      }
      self.finish();
    }
  }

  [[nodiscard]] bool empty() const { return waits_.empty(); }
  // Of all waits.
  [[nodiscard]] const WaitTimes& busy() const { return busy_; }
  [[nodiscard]] const WaitTimes& idle() const { return idle_; }
  // Under code of these ranges; none if there are no waits.
  [[nodiscard]] std::optional<WaitSummary> below(std::span<const AddressRange> ranges) const {
    return summary(ranges, false);
  }
  // Of those that block there.
  [[nodiscard]] std::optional<WaitSummary> at(std::span<const AddressRange> ranges) const {
    return summary(ranges, true);
  }

 private:
  struct Place {
    Address address;
    std::uint32_t wait = 0;
    bool innermost = false;
  };

  [[nodiscard]] std::optional<WaitSummary> summary(std::span<const AddressRange> ranges,
                                                   bool innermost) const;

  std::vector<Wait> waits_;
  std::vector<Place> places_;  // ascending by address
  WaitTimes busy_;
  WaitTimes idle_;
};

}  // namespace gprof
