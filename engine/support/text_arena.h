// Texts that live as long as the arena, packed one after the other.
//
// Ownership: owns the texts; what keep() returned stays valid when the arena is moved. Thread
// contract: one thread. Cost: the bytes of the texts plus at most 64 KiB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace gprof {

class TextArena {
 public:
  std::string_view keep(std::string_view text) {
    if (text.size() > free_) {
      free_ = std::max(text.size(), block_size);
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(free_));
      at_ = blocks_.back().get();
    }
    const std::string_view kept(at_, text.size());
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    free_ -= text.size();
    return kept;
  }

 private:
  static constexpr std::size_t block_size = std::size_t{1} << 16U;

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* at_ = nullptr;
  std::size_t free_ = 0;
};

}  // namespace gprof
