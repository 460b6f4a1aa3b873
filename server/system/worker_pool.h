// A few threads that run jobs in posting order.
//
// Thread contract: post() from any thread. With no threads, post() runs the job at once.
// Jobs not started when the pool is destroyed are destroyed without being run.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace gprof::lsp {

// Move-only, so that it may hold a Reply.
class Job {
 public:
  Job() = default;
  template <typename Callable>
  Job(Callable callable) : body_(std::make_unique<Body<Callable>>(std::move(callable))) {}
  void operator()() { body_->run(); }

 private:
  struct AnyBody {
    virtual ~AnyBody() = default;
    virtual void run() = 0;
  };
  template <typename Callable>
  struct Body : AnyBody {
    explicit Body(Callable c) : callable(std::move(c)) {}
    void run() override { callable(); }
    Callable callable;
  };
  std::unique_ptr<AnyBody> body_;
};

class WorkerPool {
 public:
  // Throws std::system_error if the system cannot start all threads; those started then end.
  explicit WorkerPool(std::size_t threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void post(Job job);

 private:
  void work();
  void end();

  std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::deque<Job> jobs_;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gprof::lsp
