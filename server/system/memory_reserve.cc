#include "server/system/memory_reserve.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace gprof::lsp {
namespace {

// Large enough to be returned to the system as soon as it is freed.
constexpr std::size_t reserve_size = std::size_t{512} << 10;

// One per process, as there is one handler.
std::atomic<void*>& reserve() {
  static std::atomic<void*> memory = nullptr;
  return memory;
}

void give_reserve() {
  void* memory = reserve().exchange(nullptr);
  if (memory == nullptr) throw std::bad_alloc();
  std::free(memory);
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

}  // namespace gprof::lsp
