// The program's operator new: asks the system for large pages where a block is large. The lists of
// a program of a million functions are hundreds of megabytes, and where pages are small, getting
// each of them takes as long as all work on what it holds.
//
// Thread contract: any thread. Errors: as the standard library's; without large pages, small ones.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <sys/mman.h>

namespace {

// Most processors' large page.
constexpr std::size_t large_page = std::size_t{2} << 20;
// Smaller blocks come and go while others are read, and are cut from what was freed.
constexpr std::size_t large_block = large_page;

// A large block begins with a large page, and ends with one if it would fill half of it.
void* allocate(std::size_t size) {
  if (size < large_block) return std::malloc(size == 0 ? 1 : size);
  const std::size_t in_large_pages =
      (size / large_page + (size % large_page >= large_page / 2 ? 1 : 0)) * large_page;
  void* const block = std::aligned_alloc(large_page, std::max(size, in_large_pages));
  // A wish: where it is not met, all works as before.
  if (block != nullptr) ::madvise(block, in_large_pages, MADV_HUGEPAGE);
  return block;
}

}  // namespace

// operator new[] and the others that do not align are the library's, which call this one.
void* operator new(std::size_t size) {
  while (true) {
    if (void* const block = allocate(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*size*/) noexcept { std::free(block); }
