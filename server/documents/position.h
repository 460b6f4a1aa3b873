// Conversions between bytes of a line and the characters of an LSP position.
//
// Each invalid byte counts as one character (one unit in every encoding). Thread contract: pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/documents/line_table.h"
#include "server/protocol/basic_types.h"

namespace gprof::lsp {

// Units from the start of the line to the byte; those of the whole line if `byte` is past its end.
// A byte inside a character counts as the character's beginning.
[[nodiscard]] std::uint32_t character_at_byte(std::string_view line, std::size_t byte,
                                              PositionEncoding encoding);
// The byte of the unit; the line's length if it is past the end, the start of the character if it
// is inside one.
[[nodiscard]] std::size_t byte_at_character(std::string_view line, std::uint32_t character,
                                            PositionEncoding encoding);

// The same for whole texts: a line past the end is the end of the text.
[[nodiscard]] std::size_t offset_of(std::string_view text, const LineTable& lines,
                                    Position position, PositionEncoding encoding);
[[nodiscard]] Position position_of(std::string_view text, const LineTable& lines,
                                   std::size_t offset, PositionEncoding encoding);

}  // namespace gprof::lsp
