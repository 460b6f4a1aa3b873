// When a thread does without perf's clock because of its context switches: by a made-up price and
// made-up times, so that nothing depends on the machine.
#include "runtime/sampling/switch_cost.h"

#include <cstdint>
#include <memory>

#include <catch2/catch.hpp>

using namespace gprof_runtime;
using namespace gprof_runtime::sampler;

namespace {

constexpr std::uint64_t millisecond = 1'000'000;
constexpr std::uint64_t price = 10'000;

// A thread that has been observed for a while. The price holds for the whole process.
class Thread {
 public:
  Thread() { set_switch_price(price); }
  ~Thread() { set_switch_price(0); }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  // The verdict after that much more CPU time, `elapsed` after the window began, with as many more
  // switches.
  SourceChange judge(std::uint64_t cpu, std::uint64_t elapsed, std::uint64_t switches,
                     bool has_event) {
    now_.cpu += cpu;
    now_.elapsed = state_->clock.window.begun_at + elapsed;
    cost_ = cost_of_switches(state_.get(), state_->clock.switches + switches);
    return judge_switches(state_.get(), now_, has_event);
  }
  void begin_window() { begin_switch_window(state_.get(), now_); }
  [[nodiscard]] std::uint64_t cost() const { return cost_; }

 private:
  std::unique_ptr<ThreadState> state_ = std::make_unique<ThreadState>();
  SwitchTimes now_{0, 0};
  std::uint64_t cost_ = 0;
};

}  // namespace

TEST_CASE("switch cost: the event goes if switches cost a tenth of the CPU time") {
  Thread thread;
  thread.begin_window();
  // 99 switches take 0.99 ms of 10 ms.
  CHECK(thread.judge(10 * millisecond, 80 * millisecond, 99, true) == SourceChange::none);
  CHECK(thread.cost() == 99 * price);
  CHECK(thread.judge(0, 80 * millisecond, 2, true) == SourceChange::to_ticks);
  CHECK(threads_switch_much());
}

TEST_CASE("switch cost: a thread that sleeps most of the time keeps its event") {
  Thread thread;
  thread.begin_window();
  // 900 switches take 9 ms: nearly all CPU time, but less than a hundredth of a second.
  CHECK(thread.judge(10 * millisecond, 1000 * millisecond, 900, true) == SourceChange::none);
  CHECK(thread.judge(0, 1000 * millisecond, 101, true) == SourceChange::to_ticks);
}

TEST_CASE("switch cost: the event goes if switches cost a fiftieth of the elapsed time") {
  Thread thread;
  thread.begin_window();
  // 150 switches take 1.5 ms, of 60 ms on CPU.
  CHECK(thread.judge(60 * millisecond, 100 * millisecond, 150, true) == SourceChange::none);
  CHECK(thread.judge(0, 70 * millisecond, 0, true) == SourceChange::to_ticks);
}

TEST_CASE("switch cost: a few switches are no reason, nor are free ones") {
  Thread thread;
  thread.begin_window();
  CHECK(thread.judge(millisecond / 100, millisecond / 100, 31, true) == SourceChange::none);
  set_switch_price(0);
  CHECK(thread.judge(millisecond, millisecond, 100'000, true) == SourceChange::none);
}

TEST_CASE(
    "switch cost: a thread gets its event back when it is calm, after twice as long each time") {
  Thread thread;
  thread.begin_window();
  CHECK(thread.judge(10 * millisecond, 100 * millisecond, 200, true) == SourceChange::to_ticks);
  thread.begin_window();
  // 5 switches a millisecond cost a twentieth; calm is less than a fortieth.
  CHECK(thread.judge(64 * millisecond, 1000 * millisecond, 320, false) == SourceChange::none);
  CHECK(thread.judge(63 * millisecond, 1000 * millisecond, 10, false) == SourceChange::none);
  CHECK(thread.judge(1 * millisecond, 1000 * millisecond, 0, false) == SourceChange::to_event);
  CHECK_FALSE(threads_switch_much());
  thread.begin_window();
  CHECK(thread.judge(127 * millisecond, 1000 * millisecond, 0, false) == SourceChange::none);
  CHECK(thread.judge(1 * millisecond, 1000 * millisecond, 0, false) == SourceChange::to_event);
}
