// Results made in parallel and taken one at a time, in order: what the first ones need may be large
// and is freed before the last ones start.
//
// Thread contract: returns when all are taken; make() is called from several threads at a time,
// take() from one at a time. Neither may depend on which. Errors: as for_each_index().
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "engine/support/parallel.h"

namespace gprof {

template <typename Result>
class OrderedWork {
 public:
  // At most `most_waiting` results are in the making or waiting for earlier ones.
  OrderedWork(std::size_t count, std::size_t most_waiting)
      : count_(count), waiting_(std::max<std::size_t>(1, most_waiting)) {}

  // Call on each thread that takes part; returns when nothing is left to start.
  template <typename Make, typename Take>
  void run(const Make& make, const Take& take) {
    try {
      while (const auto i = begin_next()) finish(*i, make(*i), take);
    } catch (const std::bad_alloc&) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

 private:
  [[nodiscard]] std::optional<std::size_t> begin_next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock,
                  [&] { return failed_ || next_ == count_ || next_ < taken_ + waiting_.size(); });
    if (failed_ || next_ == count_) return std::nullopt;
    return next_++;
  }

  // Whichever thread finishes the next result in order takes it, and those after it that are ready.
  template <typename Take>
  void finish(std::size_t i, Result result, const Take& take) {
    std::unique_lock lock(mutex_);
    waiting_[i % waiting_.size()] = std::move(result);
    if (taking_) return;
    taking_ = true;
    while (!failed_ && taken_ < count_ && waiting_[taken_ % waiting_.size()]) {
      auto turn = std::exchange(waiting_[taken_ % waiting_.size()], std::nullopt);
      lock.unlock();
      take(taken_, std::move(*turn));
      lock.lock();
      ++taken_;
      changed_.notify_all();
    }
    taking_ = false;
  }

  const std::size_t count_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<std::optional<Result>> waiting_;
  std::size_t next_ = 0;  // the first one not started
  std::size_t taken_ = 0;
  bool taking_ = false;
  bool failed_ = false;
};

// Calls take(i, make(i)) for each i below `count`.
template <typename Make, typename Take>
void make_and_take(std::size_t count, std::size_t threads, std::size_t most_waiting,
                   const Make& make, const Take& take) {
  OrderedWork<decltype(make(std::size_t{0}))> work(count, most_waiting);
  const std::size_t wanted = std::min(threads, count);
  for_each_index(wanted, wanted, [&](std::size_t /*thread*/) { work.run(make, take); });
}

}  // namespace gprof
