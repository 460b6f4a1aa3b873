// Bytes about to be read from a file; they are not zero-filled first.
//
// Ownership: owns the bytes, whose address survives a move. Thread contract: as a vector.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace gprof {

class ByteBuffer {
 public:
  // Takes over existing bytes.
  explicit ByteBuffer(std::vector<std::byte> bytes) : made_(std::move(bytes)), bytes_(made_) {}
  // `size` bytes, uninitialised; empty if out of memory.
  static ByteBuffer of_size(std::size_t size) {
    ByteBuffer buffer;
    buffer.raw_.reset(static_cast<std::byte*>(::operator new(size, std::nothrow)));
    if (buffer.raw_) buffer.bytes_ = {buffer.raw_.get(), size};
    return buffer;
  }

  ByteBuffer(ByteBuffer&&) noexcept = default;
  ByteBuffer& operator=(ByteBuffer&&) noexcept = default;
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer() = default;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes); }
  };
  ByteBuffer() = default;

  std::vector<std::byte> made_;
  std::unique_ptr<std::byte, Free> raw_;
  std::span<std::byte> bytes_;
};

}  // namespace gprof
