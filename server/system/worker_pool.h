// A few threads that run jobs in posting order.
//
// Thread contract: post() from any thread. With no threads, post() runs the job at once.
// Jobs not started when the pool is destroyed are destroyed without being run.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "server/system/job.h"

namespace gprof::lsp {

class WorkerPool {
 public:
  // Throws std::system_error if the system cannot start all threads; those started then end.
  explicit WorkerPool(std::size_t threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void post(Job<> job);
  // Runs the job once no posted job is waiting or running: at once if that is so already, else on
  // the thread that ends the last one. It must be short.
  void when_idle(Job<> job);
  // How many jobs were posted so far. With no threads, 0.
  [[nodiscard]] std::uint64_t posted() const;

 private:
  void work();
  void run_when_idle(std::unique_lock<std::mutex>& lock);
  void end();

  mutable std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::deque<Job<>> jobs_;
  std::vector<Job<>> idle_jobs_;
  std::size_t running_ = 0;
  std::uint64_t posted_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gprof::lsp
