#include "server/protocol/uri.h"

#include <string>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

TEST_CASE("file URIs name paths") {
  CHECK(path_from_uri("file:///usr/include/a.h") == "/usr/include/a.h");
  CHECK(path_from_uri("file://localhost/a.c") == "/a.c");
  CHECK(path_from_uri("FILE:///a.c") == "/a.c");
  CHECK(path_from_uri("file:/a.c") == "/a.c");
  CHECK(path_from_uri("file:///a%20b%23%25%c3%A9.c") == "/a b#%\xC3\xA9.c");
  CHECK(path_from_uri("file:///\xC3\xA9.c") == "/\xC3\xA9.c");
  CHECK(path_from_uri("file:///a.c?query#L3") == "/a.c");
  CHECK(path_from_uri("file:///a+b.c") == "/a+b.c");
}

TEST_CASE("other URIs name none") {
  for (const char* uri :
       {"", "file:", "file://", "file://host/a.c", "file:a.c", "untitled:1", "http:///a.c",
        "file:///a%2", "file:///a%", "file:///a%zz", "file:///a%00b", "gprof-report:/flat"}) {
    CAPTURE(uri);
    CHECK_FALSE(path_from_uri(uri));
  }
}

TEST_CASE("paths are encoded byte by byte, and come back") {
  CHECK(uri_from_path("/a b/#1%?.c") == "file:///a%20b/%231%25%3F.c");
  CHECK(uri_from_path("/\xC3\xA9") == "file:///%C3%A9");
  std::string path = "/";
  for (int c = 1; c < 256; ++c) path += static_cast<char>(c);
  CHECK(path_from_uri(uri_from_path(path)) == path);
}
