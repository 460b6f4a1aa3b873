#include "server/session/client_events.h"

#include <string>
#include <vector>

#include <asio/io_context.hpp>
#include <catch2/catch.hpp>

using namespace gprof::lsp;

namespace {

struct Wire {
  asio::io_context io;
  std::vector<Json> sent;
  std::shared_ptr<Dispatcher> dispatcher = Dispatcher::create(
      io.get_executor(), [this](const std::string& body) { sent.push_back(Json::parse(body)); },
      [](const std::string&) {});
  ClientEvents events{io.get_executor(), dispatcher, nullptr};

  explicit Wire(const ClientCapabilities& capabilities = {}) {
    dispatcher->set_phase(Phase::running);
    events.set_capabilities(capabilities);
  }
  void settle() {
    io.restart();
    io.poll();
  }
  void answer(std::size_t message, const std::string& outcome = "\"result\":null") {
    dispatcher->receive(R"({"jsonrpc":"2.0","id":)" + sent[message]["id"].dump() + "," + outcome +
                        "}");
    settle();
  }
  // What was sent, one word per message.
  std::vector<std::string> methods() {
    settle();
    std::vector<std::string> result;
    for (const Json& message : sent) {
      const auto method = message["method"].get<std::string>();
      result.push_back(method == "$/progress"
                           ? message["params"]["value"]["kind"].get<std::string>()
                           : method.substr(method.rfind('/') + 1));
    }
    return result;
  }
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a client is told of a progress that it agreed to") {
  ClientCapabilities capabilities;
  capabilities.work_done_progress = true;
  Wire wire(capabilities);
  const ProgressId id = wire.events.begin_progress("Loading", nullptr);
  wire.events.report_progress(id, 30, "symbols");
  CHECK(wire.methods() == Words{"create"});
  wire.answer(0);
  CHECK(wire.methods() == Words{"create", "begin", "report"});
  CHECK(wire.sent[2]["params"]["value"]["percentage"] == 30);
  wire.events.report_progress(id, 20, "lines");
  wire.events.report_progress(id, 20, "lines");
  wire.events.report_progress(id, 900, "arcs");
  wire.events.end_progress(id, "done");
  wire.events.report_progress(id, 100, "late");
  CHECK(wire.methods() == Words{"create", "begin", "report", "report", "report", "end"});
  // Never decreases, never exceeds a hundred.
  CHECK(wire.sent[3]["params"]["value"]["percentage"] == 30);
  CHECK(wire.sent[4]["params"]["value"]["percentage"] == 100);
}

TEST_CASE("a progress that ended before the client agreed is still told whole") {
  ClientCapabilities capabilities;
  capabilities.work_done_progress = true;
  Wire wire(capabilities);
  wire.events.end_progress(wire.events.begin_progress("Loading", nullptr), "done");
  CHECK(wire.methods() == Words{"create"});
  wire.answer(0);
  CHECK(wire.methods() == Words{"create", "begin", "end"});
}

TEST_CASE("a client that refuses a progress hears no more of it") {
  ClientCapabilities capabilities;
  capabilities.work_done_progress = true;
  Wire wire(capabilities);
  const ProgressId id = wire.events.begin_progress("Loading", nullptr);
  wire.settle();
  wire.answer(0, R"("error":{"code":-1,"message":"no"})");
  wire.events.report_progress(id, 1, "x");
  wire.events.end_progress(id, "x");
  CHECK(wire.methods() == Words{"create"});
}

TEST_CASE("a progress that can be cancelled is cancelled once, by its own token, until it ends") {
  ClientCapabilities capabilities;
  capabilities.work_done_progress = true;
  Wire wire(capabilities);
  int cancelled = 0;
  const ProgressId id = wire.events.begin_progress("Loading", [&] { ++cancelled; });
  wire.settle();
  const auto token = wire.sent[0]["params"]["token"].get<std::string>();
  wire.answer(0);
  CHECK(wire.sent[1]["params"]["value"]["cancellable"] == true);
  wire.events.cancel_progress("another");
  CHECK(cancelled == 0);
  wire.events.cancel_progress(token);
  CHECK(cancelled == 1);
  wire.events.end_progress(id, "");
  wire.settle();
  wire.events.cancel_progress(token);
  CHECK(cancelled == 1);
}

TEST_CASE("a question is answered by the client, or by nothing where it cannot be asked") {
  ClientCapabilities capabilities;
  std::vector<std::optional<std::string>> chosen;
  const auto ask = [&](Wire& wire) {
    wire.events.ask(Severity::info, "Which?", {"a", "b"},
                    [&](std::optional<std::string> title) { chosen.push_back(std::move(title)); });
    wire.settle();
  };
  Wire silent(capabilities);
  ask(silent);
  CHECK(silent.sent.empty());
  capabilities.show_message_request = true;
  Wire wire(capabilities);
  ask(wire);
  wire.answer(0, R"("result":{"title":"b"})");
  ask(wire);
  wire.answer(1);
  ask(wire);
  wire.answer(2, R"("error":{"code":1,"message":"no"})");
  CHECK(wire.sent[0]["params"]["actions"][1]["title"] == "b");
  CHECK(chosen ==
        std::vector<std::optional<std::string>>{std::nullopt, "b", std::nullopt, std::nullopt});
}

TEST_CASE("the status is told to clients that know it") {
  ClientCapabilities capabilities;
  Wire silent(capabilities);
  silent.events.status({});
  silent.events.refresh_document("gprof-report:/index");
  CHECK(silent.methods().empty());
  capabilities.gprof_extensions = true;
  capabilities.text_document_content = true;
  Wire wire(capabilities);
  ProfileStatus status;
  status.state = ProfileState::stale;
  status.program = "/p";
  status.metric = "time";
  status.profiles = {"/gmon.out"};
  status.generation = 3;
  wire.events.status(status);
  wire.events.refresh_document("gprof-report:/index");
  CHECK(wire.methods() == Words{"status", "refresh"});
  CHECK(
      wire.sent[0]["params"].dump() ==
      R"({"generation":3,"metric":"time","profiles":["/gmon.out"],"program":"/p","state":"stale"})");
}

TEST_CASE("what the client cannot do is left out") {
  Wire wire;
  const ProgressId id = wire.events.begin_progress("Loading", nullptr);
  wire.events.end_progress(id, "");
  wire.events.refresh();
  wire.events.show_document("file:///a", std::nullopt);
  wire.events.watch_files({{"", "/a"}});
  CHECK(wire.methods().empty());
  wire.events.show_message(Severity::error, "text");
  CHECK(wire.methods() == Words{"showMessage"});
}

TEST_CASE("refreshes become one while the client has not answered the last") {
  ClientCapabilities capabilities;
  capabilities.code_lens_refresh = true;
  capabilities.inlay_hint_refresh = true;
  Wire wire(capabilities);
  for (int i = 0; i < 5; ++i) wire.events.refresh();
  CHECK(wire.methods().size() == 2);
  wire.answer(0);
  CHECK(wire.methods().size() == 2);
  wire.answer(1);
  CHECK(wire.methods().size() == 4);
  wire.answer(2);
  wire.answer(3);
  CHECK(wire.methods().size() == 4);
  wire.events.refresh();
  CHECK(wire.methods().size() == 6);
}

TEST_CASE("the log level decides what reaches the client's log") {
  Wire wire;
  wire.events.log(LogLevel::warning, "a");
  wire.events.log(LogLevel::info, "b");
  CHECK(wire.methods() == Words{"logMessage"});
  CHECK(wire.sent[0]["params"]["type"] == 2);
  wire.events.set_log_level(LogLevel::debug);
  wire.events.log(LogLevel::debug, "c");
  CHECK(wire.methods().size() == 2);
  CHECK(wire.sent[1]["params"]["type"] == 4);
}

TEST_CASE("new patterns to watch replace the old ones") {
  ClientCapabilities capabilities;
  capabilities.register_watched_files = true;
  Wire wire(capabilities);
  wire.events.watch_files({{"", "/a"}});
  wire.events.watch_files({{"file:///b", "c"}});
  wire.events.watch_files({});
  CHECK(wire.methods() == Words{"registerCapability", "unregisterCapability", "registerCapability",
                                "unregisterCapability"});
  const Json& watchers = wire.sent[2]["params"]["registrations"][0]["registerOptions"]["watchers"];
  CHECK(watchers.dump() == R"([{"globPattern":{"baseUri":"file:///b","pattern":"c"}}])");
  CHECK(wire.sent[1]["params"]["unregisterations"][0]["id"] ==
        wire.sent[0]["params"]["registrations"][0]["id"]);
}
