#include "engine/support/digest.h"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "engine/support/hexadecimal.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

std::string md5_text(std::string_view text) {
  return hexadecimal(md5(std::as_bytes(std::span(text))));
}

}  // namespace

TEST_CASE("md5 gives the digests of RFC 1321") {
  CHECK(md5_text("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(md5_text("a") == "0cc175b9c0f1b6a831c399e269772661");
  CHECK(md5_text("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(md5_text("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(md5_text(
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
        "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("md5 of a file is that of its bytes") {
  const auto path = fresh_directory("md5_of_a_file") / "file";
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{2'500'000}}) {
    std::string text(size, 'a');
    if (size > 1'000'000) text[1'500'000] = 'b';
    write_file(path, text);
    const auto file = InputFile::open(path);
    REQUIRE(file);
    const auto digest = md5(*file);
    REQUIRE(digest);
    CHECK(hexadecimal(*digest) == md5_text(text));
  }
}
