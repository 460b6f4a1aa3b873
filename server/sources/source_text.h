// A source file's text as an editor would open it.
//
// Thread contract: pure, except for reading the file; any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof::lsp {

// Nobody edits a larger source file.
constexpr std::uint64_t largest_source = std::uint64_t{64} << 20;

// A file's bytes, all from the same state of it.
struct SourceFile {
  std::vector<std::byte> bytes;
  FileStamp stamp;

  // Without the byte order mark, which editors do not send.
  [[nodiscard]] std::string_view text() const;
};

// Fails with not_found, unreadable or unsupported (too large); with stale if the file was written
// meanwhile.
[[nodiscard]] Expected<SourceFile> read_source(const std::filesystem::path& path);

}  // namespace gprof::lsp
