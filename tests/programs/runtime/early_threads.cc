// The same by C++'s std::thread.
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

extern "C" {
#include "early_threads.h"
}

namespace {

double cpu_milliseconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

class Workers {
 public:
  Workers() {
    for (int i = 0; i < early_workers; ++i) threads_.emplace_back([this] { work(); });
  }
  void run(unsigned milliseconds) {
    {
      const std::lock_guard lock(mutex_);
      wanted_ = milliseconds;
    }
    begun_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    begun_.wait(lock, [this] { return wanted_ != 0; });
    const double until = cpu_milliseconds() + wanted_;
    lock.unlock();
    while (cpu_milliseconds() < until) {
      for (volatile int i = 0; i < 20000; i = i + 1) {
      }
    }
  }
  std::mutex mutex_;
  std::condition_variable begun_;
  unsigned wanted_ = 0;
  std::vector<std::thread> threads_;
};
Workers workers;

}  // namespace

extern "C" void run_early_workers(unsigned milliseconds) { workers.run(milliseconds); }
