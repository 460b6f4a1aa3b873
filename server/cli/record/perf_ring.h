// A buffer that the kernel fills with the records of events on one CPU, and this process empties.
//
// Ownership: owns the mapping; the event's descriptor belongs to the caller, and must stay open
// while records are wanted. Thread contract: one thread. Errors: errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

struct perf_event_mmap_page;

namespace gprof::lsp {

class PerfRing {
 public:
  // Maps `bytes`, a power of two of at least a page. Check error() first.
  PerfRing(int event, std::size_t bytes);
  PerfRing(PerfRing&& other) noexcept;
  PerfRing& operator=(PerfRing&&) = delete;
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;
  ~PerfRing();

  // 0, or errno of mmap().
  [[nodiscard]] int error() const { return error_; }

  using Visitor = std::function<void(std::span<const std::byte> record)>;
  // Visits the records that are there, in the kernel's order, and frees their room. A record is
  // valid during its visit.
  void take_records(const Visitor& visit);

 private:
  [[nodiscard]] std::span<const std::byte> bytes_at(std::uint64_t place, std::size_t size);

  perf_event_mmap_page* page_ = nullptr;
  const std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
  int error_ = 0;
  std::vector<std::byte> joined_;  // a record that continues at the start of the buffer
};

}  // namespace gprof::lsp
