#include "server/loading/debug_file_servers.h"

#include <catch2/catch.hpp>

using namespace gprof;
using namespace gprof::lsp;
using namespace std::chrono_literals;

TEST_CASE("nothing is fetched unless servers are named") {
  for (const std::string urls : {"", " "}) {
    DebugFileServers servers({urls, "", "", "", "/home/user"});
    CHECK_FALSE(servers.are_named());
    const auto outcome = servers.fetch("abcdef0123", "/bin/program", [](long, long) {
      FAIL("it was asked for");
      return false;
    });
    CHECK_FALSE(outcome.path);
    CHECK_FALSE(outcome.gave_up);
    CHECK(outcome.message.empty());
  }
  CHECK(DebugFileServers({"http://localhost:1", "", "", "", ""}).are_named());
}

TEST_CASE("the caches of debug files are where their programs keep them") {
  using Paths = std::vector<std::filesystem::path>;
  const auto of_home = DebugFileServers({"", "", "", "", "/home/user"}).search();
  CHECK(of_home.perf_caches == Paths{"/home/user/.debug"});
  CHECK(of_home.download_caches ==
        Paths{"/home/user/.debuginfod_client_cache", "/home/user/.cache/debuginfod_client"});
  const auto of_user = DebugFileServers({"", "", "", "/caches", "/home/user"}).search();
  CHECK(of_user.download_caches.back() == "/caches/debuginfod_client");
  CHECK(DebugFileServers({"", "/given", "", "", "/home/user"}).search().download_caches ==
        Paths{"/given"});
  const auto of_nobody = DebugFileServers({"", "", "", "", ""}).search();
  CHECK(of_nobody.perf_caches.empty());
  CHECK(of_nobody.download_caches.empty());
  CHECK(of_nobody.source == nullptr);
}

TEST_CASE("a fetch from which nothing comes ends") {
  const FetchPatience::Clock::time_point start{};
  FetchPatience patience(start, 15s);
  // Steps of the library, as long as it knows no size.
  CHECK(patience.goes_on(1, 0, start + 1s));
  CHECK(patience.goes_on(14, 0, start + 14s));
  CHECK(patience.goes_on(100, 1000, start + 14s));
  CHECK(patience.goes_on(200, 1000, start + 28s));
  CHECK(patience.goes_on(200, 1000, start + 42s));
  CHECK_FALSE(patience.goes_on(200, 1000, start + 43s));

  FetchPatience of_unknown_size(start, 15s);
  CHECK(of_unknown_size.goes_on(16'000, 0, start + 14s));
  CHECK(of_unknown_size.goes_on(32'000, 0, start + 28s));
  CHECK_FALSE(of_unknown_size.goes_on(32'001, 0, start + 43s));

  FetchPatience of_drops(start, 15s);
  for (long second = 1; second < 300; ++second) {
    CHECK(of_drops.goes_on(second, 1'000'000, start + std::chrono::seconds(second)));
  }
  CHECK_FALSE(of_drops.goes_on(300, 1'000'000, start + 300s));
}
