// Conversions between bytes of a line and the characters of an LSP position.
//
// Invalid UTF-8 counts as one character (one unit in every encoding) a byte that does not belong.
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/documents/line_table.h"
#include "server/protocol/basic_types.h"

namespace gprof::lsp {

// Units from the line's beginning to the byte; the whole line where `byte` lies past it. A byte
// inside a character counts as the character's beginning.
[[nodiscard]] std::uint32_t character_at_byte(std::string_view line, std::size_t byte,
                                              PositionEncoding encoding);
// The byte at which the unit lies; the line's length where it lies past the end, the character's
// beginning where it lies inside one.
[[nodiscard]] std::size_t byte_at_character(std::string_view line, std::uint32_t character,
                                            PositionEncoding encoding);

// The same for whole texts: a line past the end is the end of the text.
[[nodiscard]] std::size_t offset_of(std::string_view text, const LineTable& lines,
                                    Position position, PositionEncoding encoding);
[[nodiscard]] Position position_of(std::string_view text, const LineTable& lines,
                                   std::size_t offset, PositionEncoding encoding);

}  // namespace gprof::lsp
