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
  }
  work_arrived_.notify_one();
}

void WorkerPool::work() {
  for (;;) {
    std::unique_lock lock(mutex_);
    work_arrived_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (ending_) return;
    Job<> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    carry_out(std::move(job));
  }
}

}  // namespace gprof::lsp
