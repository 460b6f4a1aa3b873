#include "server/system/process_watch.h"

#include <array>
#include <csignal>
#include <memory>
#include <system_error>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

using asio::posix::descriptor_base;
using asio::posix::stream_descriptor;
using gprof::lsp::ProcessWatch;

namespace {

// A pipe whose reading end the event loop watches.
struct WatchedPipe {
  explicit WatchedPipe(asio::io_context& io) : reader(io) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    reader.assign(ends[0]);
    writer = ends[1];
  }
  ~WatchedPipe() { ::close(writer); }
  WatchedPipe(const WatchedPipe&) = delete;
  WatchedPipe& operator=(const WatchedPipe&) = delete;

  void make_readable() const { REQUIRE(::write(writer, "x", 1) == 1); }

  stream_descriptor reader;
  int writer = -1;
};

}  // namespace

// asio reuses the state of a closed descriptor for the next one that is opened. An event of the old
// one that the same turn of the loop fetched then completes the wait on the new one.
TEST_CASE("an event of a descriptor that was closed is not taken for the end of a process") {
  asio::io_context io(1);
  std::unique_ptr<ProcessWatch> watch;
  bool ended = false;
  WatchedPipe first(io);
  WatchedPipe second(io);
  second.reader.async_wait(descriptor_base::wait_read, [](std::error_code) {});
  first.reader.async_wait(descriptor_base::wait_read, [&](std::error_code) {
    second.reader.close();
    watch = std::make_unique<ProcessWatch>(io.get_executor(), ::getpid(), [&] { ended = true; });
  });
  first.make_readable();
  second.make_readable();
  io.poll();
  REQUIRE(watch);
  CHECK_FALSE(ended);
}

TEST_CASE("the end of a process is noticed") {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(1);
  }
  REQUIRE(child > 0);
  asio::io_context io(1);
  bool ended = false;
  const ProcessWatch watch(io.get_executor(), child, [&] { ended = true; });
  io.poll();
  CHECK_FALSE(ended);
  ::kill(child, SIGKILL);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  io.run();
  CHECK(ended);
}
