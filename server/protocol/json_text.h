// From a message's bytes to JSON and back. Nothing outside this folder and the dispatcher sees
// JSON.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/support/expected.h"

namespace gprof::lsp {

// Its objects are sorted by name: finding a member is fast even in a hostile object with a million.
using Json = nlohmann::json;

// What a hostile message may cost. Even the largest honest ones (a document's whole text) are flat
// and hold few values.
struct JsonLimits {
  std::size_t depth = 100;
  std::size_t values = 1'000'000;
};

// Fails with wrong_format if the text is not JSON or exceeds a limit. Bytes that are not UTF-8 and
// escaped halves of surrogate pairs, which editors send when a file holds them, become U+FFFD.
[[nodiscard]] Expected<Json> parse_json(std::string_view text, JsonLimits limits = {});
// Without line breaks. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const Json& json);

}  // namespace gprof::lsp
