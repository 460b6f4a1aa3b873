#include "engine/support/digest.h"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "engine/support/hexadecimal.h"

using namespace gprof;

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
