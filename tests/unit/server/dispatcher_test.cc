#include "server/session/dispatcher.h"

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <asio/io_context.hpp>
#include <catch2/catch.hpp>

using namespace gprof::lsp;

namespace {

// A dispatcher whose client is this test.
struct Wire {
  asio::io_context io;
  std::vector<Json> sent;
  std::vector<std::string> logged;
  std::shared_ptr<Dispatcher> dispatcher = Dispatcher::create(
      io.get_executor(), [this](const std::string& body) { sent.push_back(Json::parse(body)); },
      [this](const std::string& text) { logged.push_back(text); });

  Wire() { dispatcher->set_phase(Phase::running); }

  void receive(const std::string& message) {
    dispatcher->receive(message);
    settle();
  }
  void settle() {
    io.restart();
    io.poll();
  }
  // Error code of the last message, or 0.
  [[nodiscard]] int last_code() const {
    REQUIRE_FALSE(sent.empty());
    const Json& message = sent.back();
    return message.contains("error") ? message["error"]["code"].get<int>() : 0;
  }
};

// Keeps the replies it owes.
struct Keeper {
  explicit Keeper(Wire& wire) {
    wire.dispatcher->on_request<Position, std::string>(
        "keep", [this](Position position, Reply<std::string> reply) {
          asked.push_back(position);
          replies.push_back(std::move(reply));
        });
  }
  std::vector<Position> asked;
  std::vector<Reply<std::string>> replies;
};

std::string keep(const std::string& id) {
  return R"({"jsonrpc":"2.0","id":)" + id +
         R"(,"method":"keep","params":{"line":1,"character":2}})";
}

}  // namespace

TEST_CASE("a request is answered once, under its id") {
  Wire wire;
  Keeper keeper(wire);
  wire.receive(keep("7"));
  wire.receive(keep("\"seven\""));
  REQUIRE(keeper.asked == std::vector<Position>{{1, 2}, {1, 2}});
  CHECK(wire.dispatcher->open_requests() == 2);
  CHECK(wire.sent.empty());
  keeper.replies[1].succeed("b");
  keeper.replies[1].succeed("c");
  keeper.replies[1].fail(ResponseCode::internal_error, "d");
  keeper.replies[0].fail(ResponseCode::request_failed, "a");
  wire.settle();
  REQUIRE(wire.sent.size() == 2);
  CHECK(wire.sent[0] == Json::parse(R"({"jsonrpc":"2.0","id":"seven","result":"b"})"));
  CHECK(wire.sent[1] ==
        Json::parse(R"({"jsonrpc":"2.0","id":7,"error":{"code":-32803,"message":"a"}})"));
  CHECK(wire.dispatcher->open_requests() == 0);
}

TEST_CASE("a reply that is dropped answers with an internal error") {
  Wire wire;
  Keeper keeper(wire);
  wire.receive(keep("1"));
  keeper.replies.clear();
  wire.settle();
  CHECK(wire.last_code() == -32603);
  wire.receive(keep("2"));
  wire.receive(keep("3"));
  keeper.replies[0] = std::move(keeper.replies[1]);
  wire.settle();
  CHECK(wire.sent.back()["id"] == 2);
  CHECK(keeper.replies[0].pending());
  CHECK_FALSE(keeper.replies[1].pending());
}

TEST_CASE("replies may be answered from other threads, and after the session") {
  Wire wire;
  Keeper keeper(wire);
  for (int id = 0; id < 20; ++id) wire.receive(keep(std::to_string(id)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t id = static_cast<std::size_t>(i); id < 20; id += 4) {
        keeper.replies[id].succeed("x");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  wire.settle();
  CHECK(wire.sent.size() == 20);

  wire.receive(keep("99"));
  wire.dispatcher->stop();
  CHECK(keeper.replies.back().cancelled());
  wire.dispatcher.reset();
  keeper.replies.back().succeed("late");
  wire.settle();
  CHECK(wire.sent.size() == 20);
}

TEST_CASE("a cancelled request is answered at once, and its answer dropped") {
  Wire wire;
  Keeper keeper(wire);
  wire.receive(keep("1"));
  CHECK_FALSE(keeper.replies[0].cancelled());
  wire.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})");
  CHECK(wire.last_code() == -32800);
  CHECK(keeper.replies[0].cancelled());
  // The id is free again, and the old answer is not mistaken for the new one.
  wire.receive(keep("1"));
  keeper.replies[0].succeed("old");
  wire.settle();
  CHECK(wire.sent.size() == 1);
  keeper.replies[1].succeed("new");
  wire.settle();
  CHECK(wire.sent.back()["result"] == "new");
  for (const char* params : {R"({"id":1})", R"({"id":77})", "{}", R"({"id":[]})"}) {
    wire.receive(std::string(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":)") + params +
                 "}");
  }
  CHECK(wire.sent.size() == 2);
}

TEST_CASE("what is no proper message is refused with its code") {
  Wire wire;
  Keeper keeper(wire);
  const std::vector<std::pair<std::string, int>> cases{
      {"", -32700},
      {"{", -32700},
      {"[]", -32600},
      {"[" + keep("1") + "]", -32600},
      {"3", -32600},
      {"{}", -32600},
      {R"({"jsonrpc":"2.0","id":1})", -32600},
      {R"({"jsonrpc":"2.0","method":1,"id":1})", -32600},
      {R"({"jsonrpc":"2.0","method":"keep","id":null})", -32600},
      {R"({"jsonrpc":"2.0","method":"keep","id":1.5})", -32600},
      {R"({"jsonrpc":"2.0","method":"keep","id":{}})", -32600},
      {R"({"jsonrpc":"1.0","method":"keep","id":1})", -32600},
      {R"({"method":"keep","id":1})", -32600},
      {R"({"jsonrpc":"2.0","method":"keep","id":1,"params":3})", -32600},
      {R"({"jsonrpc":"2.0","method":"other","id":1})", -32601},
      {R"({"jsonrpc":"2.0","method":"$/other","id":1})", -32601},
      {R"({"jsonrpc":"2.0","method":"initialize","id":1,"params":{}})", -32600},
      {R"({"jsonrpc":"2.0","method":"keep","id":1})", -32602},
      {R"({"jsonrpc":"2.0","method":"keep","id":1,"params":[1,2]})", -32602},
      {R"({"jsonrpc":"2.0","method":"keep","id":1,"params":{"line":"1"}})", -32602},
  };
  for (const auto& [message, code] : cases) {
    CAPTURE(message);
    const std::size_t before = wire.sent.size();
    wire.receive(message);
    REQUIRE(wire.sent.size() == before + 1);
    CHECK(wire.last_code() == code);
  }
  CHECK(keeper.asked.empty());
}

TEST_CASE("an id may be used once at a time") {
  Wire wire;
  Keeper keeper(wire);
  wire.receive(keep("1"));
  wire.receive(keep("1"));
  CHECK(wire.last_code() == -32600);
  CHECK(keeper.replies.size() == 1);
}

TEST_CASE("a flood of requests is refused, not stored") {
  Wire wire;
  Keeper keeper(wire);
  for (std::size_t id = 0; id < Dispatcher::most_open_requests; ++id) {
    wire.receive(keep(std::to_string(id)));
  }
  CHECK(wire.sent.empty());
  wire.receive(keep("\"one more\""));
  CHECK(wire.last_code() == -32803);
  keeper.replies[0].succeed("");
  wire.settle();
  wire.receive(keep("\"and one\""));
  CHECK(keeper.replies.size() == Dispatcher::most_open_requests + 1);
  wire.dispatcher->cancel_open_requests();
  CHECK(wire.dispatcher->open_requests() == 0);
  CHECK(wire.last_code() == -32800);
}

TEST_CASE("the handshake decides what may be called") {
  Wire wire;
  Keeper keeper(wire);
  int notified = 0;
  int exits = 0;
  wire.dispatcher->on_notification<Nothing>("note", [&](Nothing) { ++notified; });
  wire.dispatcher->on_notification<Nothing>("exit", [&](Nothing) { ++exits; });
  const std::string note = R"({"jsonrpc":"2.0","method":"note"})";

  wire.dispatcher->set_phase(Phase::uninitialized);
  wire.receive(keep("1"));
  CHECK(wire.last_code() == -32002);
  wire.receive(note);
  CHECK(notified == 0);
  wire.dispatcher->set_phase(Phase::running);
  wire.receive(note);
  CHECK(notified == 1);
  wire.dispatcher->set_phase(Phase::shut_down);
  wire.receive(keep("2"));
  CHECK(wire.last_code() == -32600);
  wire.receive(note);
  CHECK(notified == 1);
  wire.receive(R"({"jsonrpc":"2.0","method":"exit"})");
  CHECK(exits == 1);
}

TEST_CASE("notifications that cannot be used are never answered") {
  Wire wire;
  int notified = 0;
  wire.dispatcher->on_notification<Position>("note", [&](Position) { ++notified; });
  wire.receive(R"({"jsonrpc":"2.0","method":"note","params":{"line":-1}})");
  wire.receive(R"({"jsonrpc":"2.0","method":"unknown"})");
  CHECK(wire.logged.size() == 2);
  wire.receive(R"({"jsonrpc":"2.0","method":"$/unknown"})");
  CHECK(wire.logged.size() == 2);
  CHECK(notified == 0);
  CHECK(wire.sent.empty());
}

TEST_CASE("the client's answers reach who asked") {
  Wire wire;
  std::vector<std::string> answers;
  const auto ask = [&] {
    wire.dispatcher->request<Position>(
        "where", ConfigurationParams{"s"}, [&](const Outcome<Position>& outcome) {
          const auto* position = std::get_if<Position>(&outcome);
          answers.push_back(position ? std::to_string(position->line)
                                     : std::get_if<ResponseError>(&outcome)->message);
        });
    return wire.sent.back()["id"].dump();
  };
  const std::string first = ask();
  const std::string second = ask();
  const std::string third = ask();
  CHECK(first != second);
  wire.receive(R"({"jsonrpc":"2.0","id":)" + second + R"(,"result":{"line":5,"character":0}})");
  wire.receive(R"({"jsonrpc":"2.0","id":)" + first + R"(,"error":{"code":1,"message":"no"}})");
  wire.receive(R"({"jsonrpc":"2.0","id":)" + third + R"(,"result":null})");
  CHECK(answers == std::vector<std::string>{"5", "no", "result: expected an object"});
  // Answered twice, and never requested.
  wire.receive(R"({"jsonrpc":"2.0","id":)" + first + R"(,"result":null})");
  wire.receive(R"({"jsonrpc":"2.0","id":"x","result":null})");
  CHECK(answers.size() == 3);
  CHECK(wire.sent.size() == 3);
}

TEST_CASE("idleness is told when the last open request is answered") {
  Wire wire;
  Keeper keeper(wire);
  int idle = 0;
  wire.dispatcher->on_idle([&] { ++idle; });
  wire.receive(keep("1"));
  wire.receive(keep("2"));
  keeper.replies[0].succeed("");
  wire.settle();
  CHECK(idle == 0);
  keeper.replies[1].succeed("");
  wire.settle();
  CHECK(idle == 1);
}
