// C++: exceptions through C, in threads and unhandled; constructors and destructors with threads.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<int> constructed = 0;

struct EarlyThread {
  std::thread thread{[] {
    for (int i = 0; i < 1000; ++i) ++constructed;
  }};
  ~EarlyThread() {
    thread.join();
    std::printf("constructed %d\n", constructed.load());
  }
};
EarlyThread early;

std::atomic<int> destroyed = 0;

// A thread's is destroyed at any time before it is joined.
struct Destroyed {
  const char* name;
  ~Destroyed() {
    if (std::strcmp(name, "of main") == 0) std::printf("destroyed %s\n", name);
    ++destroyed;
  }
};
thread_local Destroyed of_thread{"of a thread"};

int compare_and_throw(const void* a, const void* b) {
  if (*static_cast<const int*>(a) == 7 || *static_cast<const int*>(b) == 7)
    throw std::runtime_error("seven");
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

int exceptions() {
  int caught = 0;
  for (int turn = 0; turn < 2000; ++turn) {
    int numbers[] = {5, 3, 9, 7, 1, 2};
    try {
      std::qsort(numbers, std::size(numbers), sizeof *numbers, compare_and_throw);
    } catch (const std::runtime_error& error) {
      caught += error.what() == std::string("seven") ? 1 : 0;
    }
  }
  std::printf("caught %d\n", caught);
  return 0;
}

int threads() {
  of_thread.name = "of main";
  std::vector<std::thread> all;
  std::mutex mutex;
  std::shared_mutex shared;
  std::condition_variable turn_changed;
  int turn = 0;
  for (int i = 0; i < 8; ++i) {
    all.emplace_back([&, i] {
      std::unique_lock lock(mutex);
      turn_changed.wait(lock, [&] { return turn == i; });
      of_thread.name = i % 2 == 0 ? "even" : "odd";
      std::shared_lock read(shared);
      std::printf("thread %d\n", i);
      ++turn;
      turn_changed.notify_all();
    });
    if (i % 3 == 2) {
      all.back().join();
      all.pop_back();
    }
  }
  for (std::thread& thread : all) thread.join();
  std::printf("destroyed %d\n", destroyed.load());
  std::future<int> failed =
      std::async(std::launch::async, []() -> int { throw std::logic_error("future"); });
  try {
    failed.get();
  } catch (const std::logic_error& error) {
    std::printf("%s\n", error.what());
  }
  return 3;
}

int unhandled() {
  std::fflush(stdout);
  std::thread([] { throw std::runtime_error("unhandled"); }).join();
  return 1;
}

int terminated() {
  std::set_terminate([] {
    std::puts("terminated");
    std::exit(9);
  });
  throw 5;
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  if (name == "exceptions") return exceptions();
  if (name == "threads") return threads();
  if (name == "unhandled") return unhandled();
  if (name == "terminated") return terminated();
  return 96;
}
