#include "server/system/memory_reserve.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <thread>

namespace gprof::lsp {
namespace {

// Large enough to be returned to the system as soon as it is freed.
constexpr std::size_t reserve_size = std::size_t{512} << 10;

// One per process, as there is one handler.
std::atomic<void*>& reserve() {
  static std::atomic<void*> memory = nullptr;
  return memory;
}

struct Patience {
  int holders = 0;
  std::chrono::milliseconds left{0};
};

Patience& patience() {
  thread_local Patience own;
  return own;
}

// Called by operator new, which tries again when this returns.
void give_reserve() {
  if (void* memory = reserve().exchange(nullptr)) return std::free(memory);
  constexpr std::chrono::milliseconds pause{10};
  Patience& own = patience();
  if (own.holders == 0 || own.left < pause) throw std::bad_alloc();
  own.left -= pause;
  std::this_thread::sleep_for(pause);
}

}  // namespace

void keep_memory_reserve() {
  renew_memory_reserve();
  std::set_new_handler(give_reserve);
}

void renew_memory_reserve() {
  if (reserve().load() != nullptr) return;
  void* memory = std::malloc(reserve_size);
  void* none = nullptr;
  if (memory != nullptr && !reserve().compare_exchange_strong(none, memory)) std::free(memory);
}

bool can_allocate(std::size_t bytes) {
  // By its address, which the compiler must not know: it may leave out a pair of malloc and free.
  void* volatile memory = std::malloc(bytes);
  const bool possible = memory != nullptr;
  std::free(memory);
  return possible;
}

MemoryPatience::MemoryPatience() {
  constexpr std::chrono::seconds longest{10};
  Patience& own = patience();
  if (own.holders++ == 0) own.left = longest;
}

MemoryPatience::~MemoryPatience() { --patience().holders; }

}  // namespace gprof::lsp
