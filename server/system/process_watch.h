// Notices when another process ends, such as the editor that started this server.
//
// With process descriptors (Linux 5.3), the end is noticed at once; otherwise the process is polled
// every few seconds. A process that does not exist has ended.
// Ownership: owns the descriptor and the timer. Thread contract: the I/O thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <asio/any_io_executor.hpp>

namespace gprof::lsp {

// Whether a process with this number is running.
[[nodiscard]] bool process_exists(std::int64_t process);

class ProcessWatch {
 public:
  // `ended` is called at most once, never from within the constructor or after the destructor.
  ProcessWatch(const asio::any_io_executor& io, std::int64_t process, std::function<void()> ended);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

 private:
  class Watch;  // outlives this object while a wait is being cancelled

  std::shared_ptr<Watch> watch_;
};

}  // namespace gprof::lsp
