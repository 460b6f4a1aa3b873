// How much memory open documents may take, and what having many of them costs.
#include "server/documents/document_store.h"

#include <algorithm>
#include <ctime>
#include <string>

#include <catch2/catch.hpp>

using namespace gprof;
using namespace gprof::lsp;

namespace {

constexpr std::size_t room = std::size_t{1} << 20;

DocumentUri uri_of(std::size_t number) { return "file:///w/" + std::to_string(number) + ".c"; }

Expected<void> open(DocumentStore& store, std::size_t number, std::string text) {
  return store.open({uri_of(number), "c", 1, std::move(text)});
}

ContentChange appended(std::string text) {
  return {Range{{1'000'000, 0}, {1'000'000, 0}}, std::move(text)};
}

// CPU seconds of this thread.
double time_taken(std::size_t documents) {
  const auto now = [] {
    timespec time = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double begin = now();
  DocumentStore store;
  for (std::size_t i = 0; i < documents; ++i) REQUIRE(open(store, i, "int a;\n"));
  for (std::size_t i = 0; i < documents; ++i) {
    REQUIRE(store.change({uri_of(i), 2, {appended("int b;\n")}}));
  }
  for (std::size_t i = 0; i < documents; ++i) REQUIRE(store.close(uri_of(i)));
  return now() - begin;
}

}  // namespace

TEST_CASE("a document costs the same however many others are open") {
  const auto best_of_three = [](std::size_t documents) {
    return std::min({time_taken(documents), time_taken(documents), time_taken(documents)});
  };
  const double few = best_of_three(250);
  const double many = best_of_three(4000);
  CAPTURE(few, many);
  // 16 times as many; the square would be 256.
  CHECK(many < 64 * few);
}

TEST_CASE("what all documents take together is bounded, and freed when they close") {
  DocumentStore store(room);
  REQUIRE(open(store, 1, std::string(room / 2, 'a')));
  REQUIRE(open(store, 2, std::string(room / 4, 'a')));
  const std::size_t before = store.bytes();
  CHECK(before > room * 3 / 4);
  const auto refused = open(store, 3, std::string(room / 2, 'a'));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::unsupported);
  CHECK(refused.error().path == "/w/3.c");
  CHECK(store.is_left_out(uri_of(3)));
  CHECK(store.find(uri_of(3)) == nullptr);
  CHECK(store.open_files()->find("/w/3.c") == nullptr);
  CHECK(store.bytes() == before);
  // The client keeps referring to it.
  CHECK(store.change({uri_of(3), 2, {appended("a")}}));
  CHECK(store.save(uri_of(3)));
  CHECK(store.find(uri_of(3)) == nullptr);

  REQUIRE(store.close(uri_of(1)));
  REQUIRE(open(store, 3, std::string(room / 2, 'a')));
  CHECK_FALSE(store.any_left_out());
  CHECK(store.find(uri_of(3)) != nullptr);
  REQUIRE(store.close(uri_of(2)));
  REQUIRE(store.close(uri_of(3)));
  CHECK(store.bytes() == 0);
  CHECK(store.size() == 0);
}

TEST_CASE("lines count as well as letters") {
  DocumentStore store(room);
  CHECK_FALSE(open(store, 1, std::string(room / 4, '\n')));
  CHECK_FALSE(open(store, 1, std::string(room / 4, '\r')));
  CHECK(open(store, 1, std::string(room / 32, '\n')));
}

TEST_CASE("a document that grows beyond all bounds is left out, and not half known") {
  DocumentStore store(room);
  REQUIRE(open(store, 1, "a"));
  REQUIRE(open(store, 2, "b"));
  const auto grown = store.change({uri_of(1), 2, {appended(std::string(room, 'a'))}});
  REQUIRE_FALSE(grown);
  CHECK(grown.error().code == ErrorCode::unsupported);
  CHECK(store.find(uri_of(1)) == nullptr);
  CHECK(store.find(uri_of(2))->text() == "b");
  REQUIRE(store.close(uri_of(1)));
  CHECK_FALSE(store.any_left_out());
  // Again under its name, with a text that fits.
  REQUIRE(open(store, 1, "c"));
  CHECK(store.find(uri_of(1))->text() == "c");
}

TEST_CASE("a document that is opened twice counts once") {
  DocumentStore store(room);
  for (int i = 0; i < 10; ++i) REQUIRE(open(store, 1, std::string(room / 4, 'a')));
  CHECK(store.bytes() < room / 2);
  CHECK(store.open_files()->find("/w/1.c")->newest()->text().size() == room / 4);
}
