#include "server/cli/record/perf_ring.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

PerfRing::PerfRing(int event, std::size_t bytes) {
  const std::size_t page = page_size();
  // The first page holds where records begin and end.
  void* const mapped = mmap(nullptr, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
  if (mapped == MAP_FAILED) {
    error_ = errno;
    return;
  }
  page_ = static_cast<perf_event_mmap_page*>(mapped);
  bytes_ = static_cast<const std::byte*>(mapped) + page;
  size_ = bytes;
}

PerfRing::PerfRing(PerfRing&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)),
      bytes_(std::exchange(other.bytes_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      error_(other.error_),
      joined_(std::move(other.joined_)) {}

PerfRing::~PerfRing() {
  if (page_ != nullptr) munmap(page_, page_size() + size_);
}

void PerfRing::take_records(const Visitor& visit) {
  if (page_ == nullptr) return;
  // The kernel writes records before it moves the head, and reuses their room once the tail has
  // passed them: both numbers only grow.
  const std::uint64_t head = std::atomic_ref(page_->data_head).load(std::memory_order_acquire);
  std::uint64_t place = page_->data_tail;
  while (place < head) {
    perf_event_header header = {};
    // Records are multiples of eight bytes, so a header never continues at the start.
    std::memcpy(&header, bytes_at(place, sizeof header).data(), sizeof header);
    if (header.size < sizeof header || header.size > head - place) break;
    visit(bytes_at(place, header.size));
    place += header.size;
  }
  std::atomic_ref(page_->data_tail).store(head, std::memory_order_release);
}

std::span<const std::byte> PerfRing::bytes_at(std::uint64_t place, std::size_t size) {
  const std::size_t offset = static_cast<std::size_t>(place) & (size_ - 1);
  const std::size_t before_end = size_ - offset;
  if (size <= before_end) return {bytes_ + offset, size};
  joined_.resize(size);
  std::copy_n(bytes_ + offset, before_end, joined_.begin());
  std::copy_n(bytes_, size - before_end, joined_.begin() + static_cast<std::ptrdiff_t>(before_end));
  return joined_;
}

}  // namespace gprof::lsp
