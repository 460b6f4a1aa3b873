// Selects the profiles among files that were named, on a command line or by a folder. A pattern
// such as `gmon.*` also matches files that belong to a profile: its sidecar NAME.gpx and the
// libraries' profiles NAME.SONAME.
//
// Thread contract: reads the first bytes of files that may be sidecars.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gprof::lsp {

// Drops files that belong to another one of them.
[[nodiscard]] std::vector<std::string> named_profiles(std::span<const std::string_view> words);

}  // namespace gprof::lsp
