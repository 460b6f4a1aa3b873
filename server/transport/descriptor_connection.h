// A connection over two file descriptors, such as standard input and output.
//
// Input may be a pipe, a terminal, a socket or a regular file; the descriptors stay in blocking
// mode, since they are shared with the parent process. So two threads wait for them: one reads, and
// waits until its data was taken, one writes. Both wait in poll() together with a wake-up
// descriptor, so that they can be stopped.
//
// Ownership: borrows the descriptors. The destructor joins the threads.
// Thread contract: as for Connection; the destructor on the I/O thread, too.
#pragma once

#include <cstdint>
#include <memory>

#include <asio/any_io_executor.hpp>
#include <asio/executor_work_guard.hpp>

#include "server/transport/connection.h"

namespace gprof::lsp {

// How the messages of a stream are told apart.
enum class StreamFraming : std::uint8_t {
  header,  // the base protocol's (framing.h)
  line,    // line_decoder.h
};

class DescriptorConnection : public Connection {
 public:
  DescriptorConnection(asio::any_io_executor io, int input, int output,
                       StreamFraming framing = StreamFraming::header);
  ~DescriptorConnection() override;
  DescriptorConnection(const DescriptorConnection&) = delete;
  DescriptorConnection& operator=(const DescriptorConnection&) = delete;

  void start(Handlers handlers) override;
  void send(std::string body) override;
  void close() override;
  void abort() override;

 private:
  struct Shared;  // shared by the threads and the I/O thread's tasks

  std::shared_ptr<Shared> shared_;
};

}  // namespace gprof::lsp
