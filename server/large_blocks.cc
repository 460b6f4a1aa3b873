// The program's operator new: asks the system for large pages where a block is large. The lists of
// a program of a million functions are hundreds of megabytes, and where pages are small, getting
// each of them takes as long as all work on what it holds.
//
// Thread contract: any thread. Errors: as the standard library's; without large pages, small ones.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace {

// Most processors' large page.
constexpr std::size_t large_page = std::size_t{2} << 20;
// Of smaller blocks, at most half would be in large pages.
constexpr std::size_t large_block = 2 * large_page;

void want_large_pages(void* block, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = (begin + large_page - 1) / large_page * large_page;
  const std::uintptr_t end = (begin + size) / large_page * large_page;
  // A wish: where it is not met, all works as before.
  if (first < end)
    ::madvise(static_cast<char*>(block) + (first - begin), end - first, MADV_HUGEPAGE);
}

}  // namespace

// operator new[] and the others that do not align are the library's, which call this one.
void* operator new(std::size_t size) {
  while (true) {
    if (void* const block = std::malloc(size == 0 ? 1 : size)) {
      if (size >= large_block) want_large_pages(block, size);
      return block;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*size*/) noexcept { std::free(block); }
