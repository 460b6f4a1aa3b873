// A few threads that run jobs in posting order.
//
// Thread contract: post() from any thread. With no threads, post() runs the job at once.
// Jobs not started when the pool is destroyed are destroyed without being run.
#pragma once

#include <condition_variable>
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

 private:
  void work();
  void end();

  std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::deque<Job<>> jobs_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gprof::lsp
