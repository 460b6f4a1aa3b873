#include "engine/support/byte_reader.h"

#include <vector>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace

TEST_CASE("integers are read in either byte order and width") {
  const auto bytes = bytes_of({0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08});
  ByteReader little(bytes, ByteOrder::little, "file");
  ByteReader big(bytes, ByteOrder::big, "file");
  CHECK(*little.read_u16("x") == 0x0201);
  CHECK(*big.read_u16("x") == 0x0102);
  CHECK(*little.read_word(PointerWidth::four, "x") == 0x06050403);
  CHECK(*ByteReader(bytes, ByteOrder::big, "file").read_address(PointerWidth::eight, "x") ==
        Address{0x0102030405060708});
}

TEST_CASE("a read past the end names the file, the offset and the field, and moves nothing") {
  const auto bytes = bytes_of({1, 2, 3});
  ByteReader reader(bytes, ByteOrder::little, "gmon.out");
  REQUIRE(reader.read_u8("tag"));
  const auto failed = reader.read_u32("number of bins");
  REQUIRE_FALSE(failed);
  CHECK(describe(failed.error()) ==
        "gmon.out: the file ends inside number of bins: 4 bytes expected, 2 left (at byte 1)");
  CHECK(reader.remaining() == 2);
  CHECK_FALSE(reader.read_bytes(~std::uint64_t{0}, "arcs"));
}
