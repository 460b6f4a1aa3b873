// Reads the little-endian numbers of call frame information from a span of memory, never beyond it.
//
// Errors: the first read that does not fit makes the cursor fail for good; it then reads zeros.
// Check failed() at the end. Thread contract: a value, used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gprof_runtime {

using Bytes = std::span<const std::uint8_t>;

inline std::uint64_t address_of(const std::uint8_t* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

class ByteCursor {
 public:
  explicit ByteCursor(Bytes bytes) : position_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  template <class Number>
  Number read() {
    Number number = 0;
    if (remaining() < sizeof number) {
      fail();
    } else {
      __builtin_memcpy(&number, position_, sizeof number);
      position_ += sizeof number;
    }
    return number;
  }

  // LEB128; bits above the 64th are dropped.
  std::uint64_t read_unsigned() {
    unsigned shift = 0;
    std::uint8_t last = 0;
    return read_groups(&shift, &last);
  }
  std::int64_t read_signed() {
    unsigned shift = 0;
    std::uint8_t last = 0;
    std::uint64_t value = read_groups(&shift, &last);
    if (shift < 64 && (last & 0x40U) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }

  void skip(std::uint64_t count) {
    if (remaining() < count) {
      fail();
    } else {
      position_ += count;
    }
  }
  // Returns and skips the next bytes; empty if there are fewer.
  Bytes take(std::uint64_t count) {
    const std::uint8_t* const begin = position_;
    skip(count);
    return failed_ ? Bytes{} : Bytes{begin, static_cast<std::size_t>(count)};
  }
  // Moves by `distance`, staying within [begin, end].
  void jump(std::int64_t distance, const std::uint8_t* begin) {
    if (distance < begin - position_ || distance > end_ - position_) {
      fail();
    } else {
      position_ += distance;
    }
  }

  [[nodiscard]] const std::uint8_t* position() const { return position_; }
  [[nodiscard]] std::size_t remaining() const { return static_cast<std::size_t>(end_ - position_); }
  [[nodiscard]] bool failed() const { return failed_; }
  void fail() {
    position_ = end_;
    failed_ = true;
  }

 private:
  std::uint64_t read_groups(unsigned* shift, std::uint8_t* last) {
    std::uint64_t value = 0;
    do {
      *last = read<std::uint8_t>();
      if (*shift < 64) value |= std::uint64_t{*last & 0x7fU} << *shift;
      *shift += 7;
    } while ((*last & 0x80U) != 0);
    return value;
  }

  const std::uint8_t* position_;
  const std::uint8_t* end_;
  bool failed_ = false;
};

// How .eh_frame writes addresses (DW_EH_PE_*).
namespace pointer_encoding {
inline constexpr std::uint8_t absolute = 0x00;
inline constexpr std::uint8_t omitted = 0xff;
inline constexpr std::uint8_t format_mask = 0x0f;
inline constexpr std::uint8_t data_relative_signed_4 = 0x3b;
}  // namespace pointer_encoding

// `data_base`: the base of data-relative addresses, 0 for none. An unknown encoding makes the
// cursor fail.
inline std::uint64_t read_encoded(ByteCursor& cursor, std::uint8_t encoding,
                                  std::uint64_t data_base) {
  const std::uint64_t place = address_of(cursor.position());
  std::uint64_t value = 0;
  switch (encoding & pointer_encoding::format_mask) {
    case 0x00:
    case 0x04:
    case 0x0c:
      value = cursor.read<std::uint64_t>();
      break;
    case 0x01:
      value = cursor.read_unsigned();
      break;
    case 0x02:
      value = cursor.read<std::uint16_t>();
      break;
    case 0x03:
      value = cursor.read<std::uint32_t>();
      break;
    case 0x09:
      value = static_cast<std::uint64_t>(cursor.read_signed());
      break;
    case 0x0a:
      value = static_cast<std::uint64_t>(std::int64_t{cursor.read<std::int16_t>()});
      break;
    case 0x0b:
      value = static_cast<std::uint64_t>(std::int64_t{cursor.read<std::int32_t>()});
      break;
    default:
      cursor.fail();
      break;
  }
  switch (encoding & 0xf0U) {
    case 0x00:
      break;
    case 0x10:
      value += place;
      break;
    case 0x30:
      if (data_base == 0) cursor.fail();
      value += data_base;
      break;
    default:
      cursor.fail();
      break;  // text, function, aligned, indirect: not in .eh_frame's addresses
  }
  return value;
}

}  // namespace gprof_runtime
