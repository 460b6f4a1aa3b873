// Threads as samples name them.
#include "engine/import/sample_threads.h"

#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/profile/memory_room.h"

using namespace gprof;

namespace {

struct Threads {
  MemoryRoom room{1'000'000};
  ProfileBuilder builder{room};
  SampleThreads threads{builder, builder.run({.path = "file"})};
};

}  // namespace

TEST_CASE("sample threads: a number identifies a thread, else its process and name do") {
  Threads made;
  SampleThreads& threads = made.threads;
  const Row worker = threads.find_or_add(7, 8, "worker");
  CHECK(threads.find_or_add(7, 8, "renamed") == worker);
  CHECK(threads.find_or_add(7, 9, "worker") != worker);
  const Row solver = threads.find_or_add(0, 0, "solver");
  CHECK(threads.find_or_add(0, 0, "solver") == solver);
  CHECK(threads.find_or_add(7, 0, "solver") != solver);
  // The process is known, so this is not the unknown thread.
  CHECK(threads.find_or_add(7, 0, "") != threads.unknown());
  CHECK(threads.find_or_add(0, 0, "") == threads.unknown());
  CHECK_FALSE(threads.warning("file"));
  auto profile = made.builder.finish();
  REQUIRE(profile);
  CHECK(profile->threads().size() == 6);
}

TEST_CASE("sample threads: known threads are found beyond the bound, others become one") {
  Threads made;
  SampleThreads& threads = made.threads;
  const Row first = threads.find_or_add(0, 0, "t0");
  for (int i = 1; i < 4096; ++i) {
    CHECK(threads.find_or_add(0, 0, fmt::format("t{}", i)) != threads.unknown());
  }
  CHECK(threads.find_or_add(0, 0, "") == threads.unknown());
  CHECK_FALSE(threads.warning("file"));
  CHECK(threads.find_or_add(0, 0, "one more") == threads.unknown());
  CHECK(threads.find_or_add(0, 0, "t0") == first);
  REQUIRE(threads.warning("file"));
  CHECK(threads.warning("file")->message ==
        "has samples of more than 4096 threads; the others are shown as one");
}
