// An edit as a client sends it, for the tests of documents.
//
// Thread contract: pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "server/documents/document.h"

namespace gprof::test {

// Replaces what lies between two positions, each a line and a character.
inline lsp::ContentChange change(std::uint32_t line, std::uint32_t from, std::uint32_t end_line,
                                 std::uint32_t to, std::string text) {
  return {lsp::Range{{line, from}, {end_line, to}}, std::move(text)};
}

}  // namespace gprof::test
