// If memory runs out, one load or one request fails and says so; nothing else fails.
#include "server/system/out_of_memory.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <new>
#include <utility>

#include <catch2/catch.hpp>

#include "server/loading/program_loader.h"
#include "server/session/profile_service.h"
#include "tests/unit/server/counting_program.h"
#include "tests/unit/server/recording_events.h"

using namespace gprof;
using namespace gprof::lsp;
using gprof::test::CountingProgram;
using gprof::test::have_programs;
using gprof::test::RecordingEvents;

namespace {

constexpr const char* told = "not enough memory";

// For a load: throws while `is_full`.
class FullEvents : public RecordingEvents {
 public:
  bool is_full = false;

  void report_progress(ProgressId id, std::uint32_t percent, std::string message) override {
    if (is_full) throw std::bad_alloc();
    RecordingEvents::report_progress(id, percent, std::move(message));
  }
};

std::size_t count_told(const std::vector<std::string>& messages) {
  return static_cast<std::size_t>(std::count_if(
      messages.begin(), messages.end(),
      [](const std::string& message) { return message.find(told) != std::string::npos; }));
}

}  // namespace

TEST_CASE("a load that runs out of memory is told, and who waits for it goes on") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("memory-cache", 10);
  AnalysisRequest request = program.request();
  SnapshotCache cache;
  std::promise<void> began;
  std::promise<void> may_fail;
  AnalysisRequest failing = request;
  failing.progress = [&, first = true](std::string_view, double) mutable {
    if (std::exchange(first, false)) began.set_value();
    may_fail.get_future().wait();
    throw std::bad_alloc();
  };
  auto first = std::async(std::launch::async, [&] { return cache.load(failing); });
  began.get_future().wait();
  auto second = std::async(std::launch::async, [&] { return cache.load(request); });
  may_fail.set_value();
  const auto failed = first.get();
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message.find(told) != std::string::npos);
  CHECK(failed.error().path == program.program.string());
  // Either it waited and gets the same answer, or it came later.
  const auto other = second.get();
  CHECK((other || other.error() == failed.error()));
  const auto again = cache.load(request);
  REQUIRE(again);
  CHECK((*again)->profile().counted_calls() == 10);
}

TEST_CASE("what was shown stays where a load runs out of memory") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("memory-loader");
  // A file that a linker is writing may be readable in a moment, and is not reported.
  std::filesystem::last_write_time(
      program.program, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1));
  program.run(10);
  FullEvents events;
  ProgramLoader loader{false, std::make_shared<SnapshotCache>(),
                       std::make_shared<LineCache>(std::nullopt), ChoiceMemory(std::nullopt)};
  bool loaded = false;
  loader.start({{}, {program.folder}, {}, [&] { loaded = true; }}, events);
  REQUIRE(loaded);
  const auto calls = [&] {
    return loader.state().programs->front().snapshot->profile().counted_calls();
  };
  REQUIRE(calls() == 10);

  events.is_full = true;
  program.run(20);
  loader.files_changed({{program.profile}, false});
  CHECK(calls() == 10);
  CHECK(count_told(events.messages) == 1);
  CHECK(events.statuses.back().message.find(told) != std::string::npos);

  events.is_full = false;
  loader.reload();
  CHECK(calls() == 20);
  CHECK(count_told(events.messages) == 1);
  CHECK(events.progress_ends.size() == 3);
}

TEST_CASE("requests are answered though the first load ran out of memory") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("memory-first", 10);
  FullEvents events;
  events.is_full = true;
  ProgramLoader loader{false, std::make_shared<SnapshotCache>(),
                       std::make_shared<LineCache>(std::nullopt), ChoiceMemory(std::nullopt)};
  bool loaded = false;
  loader.start({{}, {program.folder}, {}, [&] { loaded = true; }}, events);
  CHECK(loaded);
  CHECK(loader.state().programs->empty());
  CHECK(count_told(events.messages) == 1);
}

TEST_CASE("a request that runs out of memory is answered so, and the next one is answered") {
  RecordingEvents events;
  const auto service = make_profile_service(1, {});
  service->start({}, events);
  const auto ask = [&](auto work) {
    std::promise<Outcome<int>> promise;
    auto outcome = promise.get_future();
    run_on_worker(*service, DocumentView(),
                  Reply<int>([&promise](Outcome<int> made) { promise.set_value(std::move(made)); }),
                  std::move(work));
    return outcome.get();
  };
  const auto failed = ask([](FeatureContext&) -> int { throw std::bad_alloc(); });
  const auto* error = std::get_if<ResponseError>(&failed);
  REQUIRE(error != nullptr);
  CHECK(error->code == ResponseCode::request_failed);
  CHECK(error->message.find(told) != std::string::npos);

  // One that nothing waits for.
  service->run(DocumentView(), [](FeatureContext&) { throw std::bad_alloc(); });
  const auto next = ask([](FeatureContext&) { return 7; });
  REQUIRE(std::get_if<int>(&next) != nullptr);
  CHECK(*std::get_if<int>(&next) == 7);
}
