// The rule of which waiting is idle.
#include "engine/analysis/idle_waits.h"

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

constexpr std::uint64_t millisecond = 1'000'000;

// Thread 0 waits at two places in the program, thread 1 at one in a library that is called from
// two.
struct Described {
  std::uint32_t thread;
  std::uint32_t wait;
  std::uint64_t milliseconds;
};

// A run of a second. Waits 0 and 1: for a condition, at two places; 2: by way of a library, from
// the first of them; 3: for a lock.
Sidecar run_with(const std::vector<Described>& parts) {
  Sidecar sidecar;
  sidecar.process.process = 7;
  sidecar.process.start_time = 1;
  sidecar.process.end_time = 1 + 1'000 * millisecond;
  sidecar.modules.resize(2);
  sidecar.names = {"", "pthread_cond_wait", "pthread_mutex_lock"};
  sidecar.threads.resize(3);
  sidecar.wait_stacks = {{0, false, {{0, {0x100f}}, {0, {0x2000}}}},
                         {0, false, {{0, {0x101f}}, {0, {0x2000}}}},
                         {0, false, {{1, {0x500}}, {0, {0x1010}}, {0, {0x2000}}}},
                         {0, false, {{0, {0x102f}}}}};
  sidecar.waits = {{0, WaitKind::lock, 1, 0, 0, 1},
                   {1, WaitKind::lock, 1, 0, 0, 1},
                   {2, WaitKind::lock, 1, 0, 0, 1},
                   {3, WaitKind::lock, 1, 0, 0, 2}};
  for (const Described& part : parts) {
    sidecar.wait_parts.push_back(
        {part.wait, part.thread, no_slice, part.milliseconds * millisecond, 1});
  }
  return sidecar;
}

bool is_idle(const std::vector<Described>& parts, std::size_t part = 0) {
  const Sidecar sidecar = run_with(parts);
  return IdleWaits(sidecar, {true, false}).has(sidecar.wait_parts[part]);
}

}  // namespace

TEST_CASE("idle: nine tenths of a thread's waiting at one place, for half of the run") {
  CHECK(is_idle({{0, 0, 500}}));
  CHECK_FALSE(is_idle({{0, 0, 499}}));
  CHECK(is_idle({{0, 0, 540}, {0, 1, 60}}));
  CHECK_FALSE(is_idle({{0, 0, 540}, {0, 1, 61}}));
  // The rest of its waiting is not idle, nor is that of others at the place.
  CHECK_FALSE(is_idle({{0, 0, 540}, {0, 1, 60}}, 1));
  CHECK_FALSE(is_idle({{0, 0, 540}, {1, 0, 60}}, 1));
  CHECK(is_idle({{0, 0, 600}, {1, 0, 700}}, 1));
}

TEST_CASE("idle: waits by way of a library are at the place in the program") {
  CHECK(is_idle({{0, 0, 300}, {0, 2, 300}}));
  CHECK(is_idle({{0, 0, 300}, {0, 2, 300}}, 1));
  CHECK_FALSE(is_idle({{0, 1, 300}, {0, 2, 300}}));
}

TEST_CASE("idle: waiting for a lock is not, nor that of no known thread or function") {
  CHECK_FALSE(is_idle({{0, 3, 1'000}}));
  CHECK_FALSE(is_idle({{no_thread, 0, 1'000}}));
  Sidecar sidecar = run_with({{0, 0, 1'000}});
  sidecar.waits[0].function = 0;
  CHECK_FALSE(IdleWaits(sidecar, {true, false}).has(sidecar.wait_parts[0]));
  CHECK(IdleWaits(sidecar, {true, false}).empty());
  CHECK_FALSE(IdleWaits().has(sidecar.wait_parts[0]));
}

TEST_CASE("idle: functions that wait for work, and those that a program has to wait in") {
  for (const char* name : {"pthread_cond_wait", "sem_wait", "epoll_wait", "poll", "accept",
                           "pthread_join", "pselect", "sigwait"}) {
    CAPTURE(name);
    CHECK(waits_for_work(name));
  }
  for (const char* name : {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_barrier_wait",
                           "read", "nanosleep", "waitpid", "flock", "fsync", ""}) {
    CAPTURE(name);
    CHECK_FALSE(waits_for_work(name));
  }
}
