// The live file grows in proportion to what is counted, whatever the number of threads, and never
// beyond its limit.
#include "runtime/storage/live_space.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/storage/growth_turn.h"
#include "runtime/storage/live_file.h"
#include "tests/support/skipped_tests.h"

namespace {

using namespace gprof_runtime;
using namespace gprof_runtime::live;

constexpr std::uint64_t piece_size = 4096;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

// In memory, with a limit.
struct Space {
  explicit Space(std::uint64_t limit) {
    live::abandon();
    const FirstRegion first = begin_space(-1, piece_size);
    REQUIRE(first.base != nullptr);
    set_limit(limit, -1, nullptr);
  }
  ~Space() { live::abandon(); }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;
};

// Whether the page of this byte is present.
bool is_present(const std::uint8_t* byte) {
  constexpr std::uint64_t page = 4096;
  unsigned char present = 0;
  auto* begin = reinterpret_cast<void*>(reinterpret_cast<std::uint64_t>(byte) / page * page);
  return ::mincore(begin, page, &present) == 0 && (present & 1U) != 0;
}

// Each thread takes pieces and writes its number all over them; returns all pieces.
std::vector<std::uint8_t*> taken_by_threads(unsigned threads, unsigned pieces, Need need) {
  std::vector<std::vector<std::uint8_t*>> taken(threads);
  std::atomic<bool> begun{false};
  std::atomic<unsigned> done{0};
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([&, i] {
      while (!begun) std::this_thread::yield();
      for (unsigned n = 0; n < pieces; ++n) {
        std::uint8_t* piece = take_space(piece_size, need);
        if (piece == nullptr) continue;
        std::memset(piece, static_cast<int>(i % 255 + 1), piece_size);
        taken[i].push_back(piece);
      }
      // No thread ends before the others are done: the kernel could map space where its stack was,
      // and the thread sanitizer, which does not see our system calls, would report a race.
      ++done;
      while (done != threads) std::this_thread::yield();
    });
  }
  begun = true;
  for (std::thread& thread : running) thread.join();
  std::vector<std::uint8_t*> all;
  for (unsigned i = 0; i < threads; ++i) {
    for (std::uint8_t* piece : taken[i]) {
      // No two threads have the same memory.
      CHECK(std::set<std::uint8_t>(piece, piece + piece_size).size() == 1);
      CHECK(*piece == i % 255 + 1);
      all.push_back(piece);
    }
  }
  return all;
}

// Each region adds half to what exists, and the next one is made ahead.
std::uint64_t max_reserved(std::uint64_t used) { return used / 4 * 9 + 3 * first_region_size; }

}  // namespace

TEST_CASE("live space: threads that need memory at once share what one of them reserves") {
  for (const unsigned threads : {1U, 4U, 64U}) {
    const Space space(64 * mebibyte);
    const unsigned pieces = 2048 / threads;
    const auto all = taken_by_threads(threads, pieces, Need::counted);
    CHECK(all.size() == std::size_t{pieces} * threads);
    CHECK(std::set<std::uint8_t*>(all.begin(), all.end()).size() == all.size());
    const std::uint64_t used = (all.size() + 1) * piece_size;
    CHECK(reserved_space() <= max_reserved(used));
    CHECK(region_count() < 100);
  }
}

TEST_CASE("live space: what one thread takes is reserved in few steps") {
  const Space space(mebibyte * 64);
  const auto all = taken_by_threads(1, 4000, Need::counted);
  CHECK(all.size() == 4000);
  CHECK(region_count() < 40);
  CHECK(reserved_space() <= max_reserved(4001 * piece_size));
}

TEST_CASE("live space: beyond the limit nothing is reserved, and stacks are refused first") {
  for (const std::uint64_t limit : {std::uint64_t{1}, mebibyte, 4 * mebibyte}) {
    const Space space(limit);
    const std::uint64_t total = current_limit();
    CHECK(total >= lowest_limit);
    std::uint64_t given = piece_size;
    for (const Need need : {Need::stack, Need::larger, Need::first, Need::counted}) {
      const auto all = taken_by_threads(8, 400, need);
      CHECK(!all.empty());
      given += all.size() * piece_size;
      CHECK(given == ceiling_of(need, total));
      CHECK(take_space(piece_size, need) == nullptr);
    }
    CHECK(has_reached_limit());
    CHECK(reserved_space() <= total);
  }
}

TEST_CASE("live space: a piece of any size fits, or is refused without a trace") {
  const Space space(4 * mebibyte);
  CHECK(take_space(64 * mebibyte, Need::counted) == nullptr);
  CHECK(reserved_space() == first_region_size);
  CHECK(take_space(3 * mebibyte, Need::counted) != nullptr);
  CHECK(take_space(piece_size, Need::counted) != nullptr);
}

TEST_CASE("live space: the pages of small pieces are present, those of large ones are not") {
  const Space space(64 * mebibyte);
  const std::uint8_t* small = take_space(piece_size, Need::counted);
  REQUIRE(small != nullptr);
  if (!is_present(small)) {
    return gprof::test::skip_test("does not apply: this kernel populates no memory");
  }
  const std::uint8_t* large = take_space(mebibyte, Need::counted);
  REQUIRE(large != nullptr);
  CHECK_FALSE(is_present(large + mebibyte / 2));
  const std::uint8_t* next = take_space(piece_size, Need::counted);
  REQUIRE(next != nullptr);
  CHECK(is_present(next));
}

TEST_CASE("live space: a forked child that inherits another thread's turn takes it") {
  GrowthTurn turn = {};
  std::thread other([&] { REQUIRE(turn.enter(0) == Turn::own); });
  other.join();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool taken = turn.enter(0) == Turn::own;
    _exit(taken && turn.taken_away() == 0 ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("live space: whoever waits for a thread that does not go on takes its turn") {
  GrowthTurn turn = {};
  std::thread stopped([&] { REQUIRE(turn.enter(0) == Turn::own); });
  stopped.join();  // without leave()
  CHECK(turn.enter(piece_size) == Turn::own);
  CHECK(turn.taken_away() == 1);
  CHECK(turn.wanted() == 0);
  // A handler that interrupts the owner itself goes on at once.
  CHECK(turn.enter(0) == Turn::own);
  turn.leave();
  CHECK(turn.enter(0) == Turn::own);
  CHECK(turn.taken_away() == 1);
}
