// File URIs (RFC 8089) to paths and back.
//
// Thread contract: pure functions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gprof::lsp {

// The absolute path of a `file` URI with no authority or `localhost`; nothing for another scheme, a
// remote authority, a relative path, a broken percent-encoding or an encoded NUL. A query or
// fragment is not part of the path.
[[nodiscard]] std::optional<std::filesystem::path> path_from_uri(std::string_view uri);

// Precondition: the path is absolute. Everything but RFC 3986's unreserved characters and `/` is
// percent-encoded, as most editors do, so that URIs can be compared.
[[nodiscard]] std::string uri_from_path(const std::filesystem::path& path);

// Nothing if the percent-encoding is broken or encodes a NUL.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);
// Leaves RFC 3986's unreserved characters and those of `kept` as they are.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view kept = {});

}  // namespace gprof::lsp
