// What a client can show of a text.
#pragma once

#include <cstdint>

namespace gprof::lsp {

enum class MarkupKind : std::uint8_t { plaintext, markdown };

}  // namespace gprof::lsp
