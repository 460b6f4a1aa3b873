#include "engine/support/text_blocks.h"

#include <algorithm>
#include <span>

namespace gprof {

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

Expected<std::string_view> TextBlocks::block_at(std::uint64_t offset, std::size_t size,
                                                std::vector<std::byte>& own) const {
  if (file_ == nullptr) return text_.substr(offset, size);
  if (own.size() < size) own.resize(size);
  const auto bytes = std::span(own).first(size);
  TRY(file_->read_into(offset, bytes));
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Expected<void> TextBlocks::read(const Take& take) const {
  std::vector<std::byte> own;
  std::uint64_t offset = 0;
  std::size_t wanted = block_size_;
  while (offset < size()) {
    const std::uint64_t left = size() - offset;
    const auto part_size = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, left));
    TRY_ASSIGN(const auto block, block_at(offset, part_size, own));
    const std::string_view text = offset == 0 ? without_byte_order_mark(block) : block;
    const bool is_last = part_size == left || wanted >= max_block_size;
    const std::size_t used = take(text, is_last);
    if (is_last) {
      offset += part_size;
    } else if (used > 0) {
      offset += part_size - text.size() + used;
    } else {
      // What did not fit is read once more, as part of a block twice as large.
      wanted = std::min(2 * wanted, max_block_size);
      continue;
    }
    wanted = block_size_;
  }
  return {};
}

}  // namespace gprof
