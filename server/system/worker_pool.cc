#include "server/system/worker_pool.h"

#include <new>

#include "server/system/memory_reserve.h"

namespace gprof::lsp {
namespace {

// Jobs tell of the memory that they lack. One that lacks it even for that ends, and the others go
// on: a request that it held is answered by the end of its reply.
void carry_out(Job<> job) {
  try {
    job();
  } catch (const std::bad_alloc&) {
    const MemoryPatience patience;
    const Job<> ended = std::move(job);
  }
}

}  // namespace

WorkerPool::WorkerPool(std::size_t threads) {
  try {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {
    end();
    throw;
  }
}

WorkerPool::~WorkerPool() { end(); }

void WorkerPool::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_arrived_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::post(Job<> job) {
  if (threads_.empty()) {
    job();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    ++posted_;
  }
  work_arrived_.notify_one();
}

void WorkerPool::when_idle(Job<> job) {
  {
    const std::lock_guard lock(mutex_);
    if (!jobs_.empty() || running_ != 0) {
      idle_jobs_.push_back(std::move(job));
      return;
    }
  }
  job();
}

std::uint64_t WorkerPool::posted() const {
  const std::lock_guard lock(mutex_);
  return posted_;
}

// Called with the lock held by the thread that has ended a job.
void WorkerPool::run_when_idle(std::unique_lock<std::mutex>& lock) {
  if (running_ != 0 || !jobs_.empty() || idle_jobs_.empty()) return;
  std::vector<Job<>> due;
  due.swap(idle_jobs_);
  // They may post jobs.
  lock.unlock();
  for (Job<>& job : due) carry_out(std::move(job));
  lock.lock();
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_arrived_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (ending_) return;
    Job<> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    carry_out(std::move(job));
    lock.lock();
    --running_;
    run_when_idle(lock);
  }
}

}  // namespace gprof::lsp
