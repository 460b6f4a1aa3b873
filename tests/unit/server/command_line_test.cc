#include <utility>

#include "server/cli/serve/serve_options.h"
#include "tests/unit/server/command_words.h"

using namespace gprof::lsp;
using namespace gprof::test;

namespace {

constexpr CommandWords<ServeOptions> serve_line{serve_syntax};

template <typename T>
T transport(const Words& words) {
  const ServeOptions options = serve_line.options(words);
  REQUIRE(std::holds_alternative<T>(options.transport));
  return *std::get_if<T>(&options.transport);
}

}  // namespace

TEST_CASE("each transport in each spelling") {
  transport<StandardStreams>({});
  transport<StandardStreams>({"--stdio"});
  CHECK(transport<PipeClient>({"--pipe=/tmp/a=b"}).path == "/tmp/a=b");
  CHECK(transport<PipeClient>({"--pipe", "/tmp/x"}).path == "/tmp/x");
  CHECK(transport<SocketClient>({"--socket=123"}).port == 123);
  CHECK(transport<SocketClient>({"--port=123"}).port == 123);
  CHECK(transport<SocketClient>({"--socket", "--port=65535"}).port == 65535);
  CHECK(transport<SocketClient>({"--port=7", "--socket"}).port == 7);
  CHECK(transport<SocketServer>({"--listen=0"}).host == "127.0.0.1");
  CHECK(transport<SocketServer>({"--listen=:80"}).host == "127.0.0.1");
  CHECK(transport<SocketServer>({"--listen=0.0.0.0:80"}).host == "0.0.0.0");
  CHECK(transport<SocketServer>({"--listen=[::1]:80"}).host == "::1");
  CHECK(transport<SocketServer>({"--listen=[::1]:80"}).port == 80);
  CHECK(transport<PipeServer>({"--listen=unix:/tmp/a=b"}).path == "/tmp/a=b");
  CHECK(transport<PipeServer>({"--listen", "unix:a:1"}).path == "a:1");
}

TEST_CASE("what a server that listens allows") {
  const ListenOptions usual = serve_line.options({"--listen=0"}).listen;
  CHECK(usual.folders.empty());
  CHECK(usual.token_file.empty());
  CHECK(usual.most_clients == 32);
  const ListenOptions listen =
      serve_line.options({"a=b", "--max-clients=3", "--listen=0", "c", "--token-file", "t", "."})
          .listen;
  CHECK(listen.folders == std::vector<std::string>{"a=b", "c", "."});
  CHECK(listen.token_file == "t");
  CHECK(listen.most_clients == 3);
}

TEST_CASE("the other options") {
  const auto options = serve_line.options(
      {"--stdio", "--clientProcessId=42", "--log=l", "--log-level", "debug", "--config=c.json"});
  CHECK(options.client_process == 42);
  CHECK(options.log_file == "l");
  CHECK(options.log_level == LogLevel::debug);
  CHECK(options.configuration_file == "c.json");
  CHECK(serve_line.asks_for_help({"--help"}));
  CHECK(std::holds_alternative<VersionRequest>(serve_line.parse({"--version"})));
}

TEST_CASE("what makes no sense is refused, naming it") {
  const std::vector<std::pair<Words, std::string>> cases{
      {{"--colour"}, "--colour"},
      {{"file.c"}, "file.c"},
      {{"--stdio=1"}, "--stdio"},
      {{"--socket"}, "--socket"},
      {{"--socket=0"}, "--socket"},
      {{"--socket=65536"}, "65536"},
      {{"--port=x"}, "--port"},
      {{"--pipe"}, "--pipe"},
      {{"--pipe="}, "--pipe"},
      {{"--config", "--stdio"}, "--config"},
      {{"--listen=localhost"}, "--listen"},
      {{"--listen=unix:"}, "unix:"},
      {{"--stdio", "folder"}, "folder"},
      {{"--token-file=t"}, "--listen"},
      {{"--stdio", "--max-clients=3"}, "--listen"},
      {{"--listen=0", "--max-clients=0"}, "--max-clients"},
      {{"--listen=0", "--max-clients=many"}, "many"},
      {{"--listen=unix:s", "--token-file=t"}, "no token"},
      {{"--clientProcessId=1.5"}, "--clientProcessId"},
      {{"--log-level=loud"}, "--log-level"},
      {{"--stdio", "--pipe=x"}, "only one"},
  };
  for (const auto& [words, name] : cases) {
    CAPTURE(words[0]);
    CHECK(serve_line.error(words).find(name) != std::string::npos);
  }
}
