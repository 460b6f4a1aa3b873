#include "tests/support/files.h"

#include <fstream>
#include <iterator>

#include "test_paths.h"

namespace gprof::test {

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::filesystem::path repository() {
  return std::filesystem::path(GPROF_LSP_TEST_PROGRAMS).parent_path().parent_path();
}

}  // namespace gprof::test
