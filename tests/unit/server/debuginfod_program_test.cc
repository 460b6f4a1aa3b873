#include "server/system/debuginfod_program.h"

#include <cerrno>
#include <string>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

TEST_CASE("debuginfod-find tells of its progress, in lines that come in parts") {
  DebuginfodMessages messages;
  messages.add("Progress 1 / 0\nProg");
  CHECK(messages.done() == 1);
  CHECK(messages.total() == 0);
  messages.add("ress 4096 / 10");
  CHECK(messages.done() == 1);
  messages.add("000\nserver http://localhost\n\nProgress / 7\nProgress 8 of 7\nProgress -\n");
  CHECK(messages.done() == 4096);
  CHECK(messages.total() == 10'000);
  messages.add("Progress 99999999999999999999 / 1\n");
  CHECK(messages.done() == 4096);
  CHECK(messages.error() == 0);
}

TEST_CASE("debuginfod-find tells why it failed") {
  const auto error_of = [](const std::string& text) {
    DebuginfodMessages messages;
    messages.add(text);
    return messages.error();
  };
  CHECK(error_of("Server query failed: No such file or directory\n") == ENOENT);
  CHECK(error_of("Progress 1 / 0\nServer query failed: Connection refused\n") == ECONNREFUSED);
  CHECK(error_of("Server query failed: of a kind unheard of\n") == EIO);
  CHECK(error_of("Server query failed: No such file or directory") == 0);
  CHECK(error_of(std::string(1'000'000, 'a') + "\nServer query failed: Timer expired\n") == ETIME);
}
