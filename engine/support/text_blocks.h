// A text of any size, read in blocks. What reads it decides where a block ends, and keeps no views
// of earlier ones.
//
// Ownership: borrows the file or the text. Thread contract: one thread. Errors: those of
// InputFile::read_into().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof {

class TextBlocks {
 public:
  static constexpr std::size_t usual_block_size = std::size_t{1} << 20;
  // How far a block grows for a part that must not be divided, such as a very long line.
  static constexpr std::size_t max_block_size = std::size_t{64} << 20;
  // Who opens a file refuses larger ones, which would take many minutes to read.
  static constexpr std::uint64_t max_file_size = std::uint64_t{32} << 30;

  explicit TextBlocks(const InputFile& file) : file_(&file) {}
  // In memory, as one block.
  explicit TextBlocks(std::string_view text) : TextBlocks(text, text.size()) {}
  TextBlocks(std::string_view text, std::size_t size) : text_(text), block_size_(size) {}

  [[nodiscard]] std::uint64_t size() const {
    return file_ != nullptr ? file_->size() : text_.size();
  }

  // Returns how many bytes of the block it is done with; the others begin the next block, which is
  // larger if there were none. `is_last`: it must be done with all, since nothing follows or the
  // block is the largest allowed.
  using Take = std::function<std::size_t(std::string_view block, bool is_last)>;
  // The whole text, without a byte order mark.
  [[nodiscard]] Expected<void> read(const Take& take) const;

 private:
  [[nodiscard]] Expected<std::string_view> block_at(std::uint64_t offset, std::size_t size,
                                                    std::vector<std::byte>& own) const;

  const InputFile* file_ = nullptr;  // null: the text is in memory
  std::string_view text_;
  std::size_t block_size_ = usual_block_size;
};

// Some text editors put a mark at the beginning.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

}  // namespace gprof
