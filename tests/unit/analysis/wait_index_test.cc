// Waits by place: what is below a function and at a place, who had the lock, what a selection
// keeps.
#include "engine/analysis/wait_index.h"

#include <catch2/catch.hpp>

#include "engine/snapshot_view.h"
#include "tests/support/made_up_profile.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t millisecond = 1'000'000;

// put and get take the same lock; get waits for put, and a worker for work.
MadeUpProfile with_lock() {
  MadeUpProfile made("wait_index", {"main", "put", "get", "worker"});
  made.thread(1, "main").thread(2, "worker");
  made.stack_of(0, 0, 3, {"main", "put"});
  made.wait_of(0, 1, WaitKind::lock, "pthread_mutex_lock", 100, {"main", "get"})
      .held_by(70, {"main", "put"})
      .held_by(20, {"/lib/libx.so"});
  made.wait_of(0, 2, WaitKind::lock, "pthread_mutex_lock", 40, {"main", "get"});
  made.wait_of(0, 2, WaitKind::io, "read", 5, {"main", "get", "/lib/libx.so"});
  for (std::uint32_t slice = 0; slice < 5; ++slice) {
    made.wait_of(1, slice, WaitKind::lock, "sem_wait", 90, {"worker"});
  }
  return made;
}

AddressRange code_of(const Snapshot& snapshot, SymbolIndex symbol) {
  return {snapshot.symbols()[symbol].address, snapshot.symbols()[symbol].end};
}

WaitSummary below(const Snapshot& snapshot, SymbolIndex symbol) {
  const AddressRange code = code_of(snapshot, symbol);
  const auto found = snapshot.waits()->below({&code, 1});
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("wait index: below a function is what it called, at a place what blocks there") {
  const MadeUpProfile made = with_lock();
  const auto snapshot = made.snapshot();
  REQUIRE(snapshot->waits());
  const WaitSummary main = below(*snapshot, made.symbol("main"));
  CHECK(main.busy.all().time == 145 * millisecond);
  CHECK(main.busy.all().times == 3);
  CHECK(main.busy.all().longest == 100 * millisecond);
  CHECK(main.busy.greatest() == WaitKind::lock);
  CHECK(main.busy.kinds[place_of(WaitKind::io)].time == 5 * millisecond);
  const AddressRange code = code_of(*snapshot, made.symbol("main"));
  CHECK_FALSE(snapshot->waits()->at({&code, 1}));
  // By way of a library as well.
  const AddressRange get = code_of(*snapshot, made.symbol("get"));
  const auto at_get = snapshot->waits()->at({&get, 1});
  REQUIRE(at_get);
  CHECK(at_get->busy.all().time == 145 * millisecond);
  // Each wait once, however many places of it are asked for.
  const AddressRange both[] = {code, get};
  CHECK(snapshot->waits()->below(both)->busy.all().time == 145 * millisecond);
  const AddressRange put = code_of(*snapshot, made.symbol("put"));
  CHECK_FALSE(snapshot->waits()->below({&put, 1}));
}

TEST_CASE("wait index: who had the lock, the longest first") {
  const MadeUpProfile made = with_lock();
  const auto snapshot = made.snapshot();
  const WaitSummary get = below(*snapshot, made.symbol("get"));
  REQUIRE(get.holders.size() == 2);
  REQUIRE(get.holders[0].place);
  CHECK(snapshot->symbols().find(*get.holders[0].place) == made.symbol("put"));
  CHECK(get.holders[0].time == 70 * millisecond);
  CHECK_FALSE(get.holders[1].place);
  CHECK(get.holders[1].time == 20 * millisecond);
}

TEST_CASE("wait index: what is idle is told apart") {
  const MadeUpProfile made = with_lock();
  const WaitSummary worker = below(*made.snapshot(), made.symbol("worker"));
  CHECK(worker.busy.all().time == 0);
  CHECK(worker.idle.all().time == 450 * millisecond);
  CHECK(worker.idle.all().times == 5);
  CHECK(worker.idle_threads == 1);
}

TEST_CASE("wait index: a view has that of its selection") {
  const MadeUpProfile made = with_lock();
  const auto snapshot = made.snapshot();
  Selection selection;
  selection.from = 0.2;
  const auto view = view_of(snapshot, "", selection);
  REQUIRE(view);
  const WaitSummary get = below(**view, made.symbol("get"));
  CHECK(get.busy.all().time == 45 * millisecond);
  CHECK(get.busy.all().times == 2);
  // It is not known for which of the waits.
  CHECK(get.holders.empty());
  CHECK(below(**view, made.symbol("worker")).idle.all().time == 270 * millisecond);
  const auto by_wait = view_of(snapshot, "wait", {});
  REQUIRE(by_wait);
  CHECK((*by_wait)->waits() == snapshot->waits());
  selection = {};
  selection.threads = {2};
  const auto of_worker = view_of(snapshot, "", selection);
  REQUIRE(of_worker);
  const AddressRange code = code_of(*snapshot, made.symbol("get"));
  CHECK_FALSE((*of_worker)->waits()->below({&code, 1}));
}
