// Snapshot files with correct checksums and other contents.
//
// Thread contract: one thread. Errors end the test.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "engine/support/snapshot_file.h"
#include "tests/support/files.h"

namespace gprof::test {

using ForgedWords = std::vector<std::uint64_t>;

struct StoredWords {
  ForgedWords words;
  std::uint64_t identity = 0;
};

inline StoredWords stored_words(const std::filesystem::path& entry) {
  const std::string bytes = read_file(entry);
  constexpr std::size_t trailer = 40;
  StoredWords stored;
  stored.words.resize((bytes.size() - trailer) / 8);
  std::memcpy(stored.words.data(), bytes.data(), 8 * stored.words.size());
  // It wants its earlier address.
  std::uint64_t address = 0;
  std::memcpy(&address, bytes.data() + bytes.size() - 8, 8);
  stored.identity = (address - (std::uint64_t{1} << 45)) >> 32;
  return stored;
}

inline void write_forged(const std::filesystem::path& entry, const ForgedWords& words,
                         std::uint64_t identity) {
  const int descriptor = ::open(entry.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(descriptor >= 0);
  SnapshotFileWriter index(descriptor, identity);
  for (const std::uint64_t word : words) index.number(word);
  CHECK(index.finish());
  ::close(descriptor);
}

}  // namespace gprof::test
