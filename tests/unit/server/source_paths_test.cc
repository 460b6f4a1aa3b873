#include "server/sources/source_paths.h"

#include <catch2/catch.hpp>

using gprof::lsp::exchange_prefix;

TEST_CASE("a prefix is one of directories, not of letters") {
  CHECK(exchange_prefix("/src/a/b.c", "/src", "/w/me") == "/w/me/a/b.c");
  CHECK(exchange_prefix("/src/a/b.c", "/src/", "/w/me/") == "/w/me/a/b.c");
  CHECK(exchange_prefix("/src", "/src", "/w/me") == "/w/me");
  CHECK(exchange_prefix("/a.c", "/", "/w2") == "/w2/a.c");
  CHECK(exchange_prefix("./a/b.c", ".", "/w/me") == "/w/me/a/b.c");
  CHECK_FALSE(exchange_prefix("/src2/a.c", "/src", "/w/me"));
  CHECK_FALSE(exchange_prefix("/a.c", "", "/w/me"));
}
