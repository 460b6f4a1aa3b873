// Whole files for tests, and where the repository is.
//
// Thread contract: any thread. Errors: a file that cannot be written stays as it was, and one that
// cannot be read reads as empty: what the test expects of it fails.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace gprof::test {

void write_file(const std::filesystem::path& path, std::string_view text);
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// The folder of the sources under test.
[[nodiscard]] std::filesystem::path repository();

}  // namespace gprof::test
