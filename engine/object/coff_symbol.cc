#include "engine/object/coff_symbol.h"

#include "engine/support/byte_reader.h"

namespace gprof {

CoffSymbol decode_coff_symbol(std::span<const std::byte> entry) {
  const auto field = [&]<typename Integer>(Integer /*type*/, std::size_t offset) {
    return stored_integer<Integer>(entry.data() + offset, ByteOrder::little);
  };
  CoffSymbol symbol;
  // Four zeros mark a name in the string table.
  if (field(std::uint32_t{}, 0) != 0) {
    symbol.short_name = entry.first(coff_short_name_size);
  } else {
    symbol.name_offset = field(std::uint32_t{}, 4);
  }
  symbol.value = field(std::uint32_t{}, 8);
  symbol.section = static_cast<std::int16_t>(field(std::uint16_t{}, 12));
  symbol.type = field(std::uint16_t{}, 14);
  symbol.storage_class = field(std::uint8_t{}, 16);
  symbol.extra_entries = field(std::uint8_t{}, 17);
  return symbol;
}

}  // namespace gprof
