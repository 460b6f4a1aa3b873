// Work on the elements of a list, on as many threads as there are processors.
//
// Each thread takes the next free index. Results must not depend on the number of threads or their
// order: let element i write to place i only.
//
// Thread contract: returns when all is done. Errors: if no thread can be started, the caller's does
// the work; if any of them runs out of memory, the caller is told.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <new>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

namespace gprof {

// Of this process; at least 1.
[[nodiscard]] inline std::size_t processor_count() {
  return std::max(1U, std::thread::hardware_concurrency());
}

// Less work than this is done before a thread gets to run, and when many small programs are loaded,
// starting threads would be most of the work.
inline constexpr std::size_t elements_worth_a_thread = 8192;
inline constexpr std::size_t bytes_worth_a_thread = std::size_t{1} << 20;

// Calls work(i) for each i below `count`. With one thread, none is started.
template <typename Work>
void for_each_index(std::size_t count, std::size_t threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> out_of_memory = false;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count && !out_of_memory; i = next++) work(i);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  };
  std::vector<std::thread> helpers(std::max<std::size_t>(std::min(threads, count), 1) - 1);
  for (std::thread& helper : helpers) {
    try {
      helper = std::thread(run);
    } catch (const std::system_error&) {
      break;
    } catch (const std::bad_alloc&) {
      break;
    }
  }
  run();
  for (std::thread& helper : helpers) {
    if (helper.joinable()) helper.join();
  }
  if (out_of_memory) throw std::bad_alloc();
}

// Whether all checks hold. Every one is run, whatever the others return.
[[nodiscard]] inline bool all_hold(std::span<const std::function<bool()>> checks,
                                   std::size_t threads) {
  std::atomic<bool> all = true;
  for_each_index(checks.size(), threads, [&](std::size_t i) {
    if (!checks[i]()) all = false;
  });
  return all;
}

// Runs `work` on the caller's thread and `beside` at the same time, if it is worth a thread and one
// can be started.
template <typename Work, typename Beside>
void run_beside(const Work& work, const Beside& beside, bool worth_a_thread = true) {
  bool out_of_memory = false;
  const auto run = [&] {
    try {
      beside();
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  };
  std::thread helper;
  try {
    if (worth_a_thread && processor_count() > 1) helper = std::thread(run);
  } catch (const std::system_error&) {
    // `beside` runs afterwards.
  } catch (const std::bad_alloc&) {
    // So it does here.
  }
  try {
    work();
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  }
  if (helper.joinable()) {
    helper.join();
  } else {
    run();
  }
  if (out_of_memory) throw std::bad_alloc();
}

}  // namespace gprof
