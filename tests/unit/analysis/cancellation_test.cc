// What a cancelled analysis reports: that it was cancelled, and nothing it did not find out.
#include <atomic>

#include "tests/unit/analysis/profiled_source.h"

using namespace gprof;
using namespace gprof::test;

TEST_CASE("an analysis that is cancelled at any step is told as cancelled") {
  if (!have_programs({"gcc"})) return;
  const ProfiledSource source("cancellation", 3, {"gcc", "-g", "-O0", "-pg"});
  AnalysisRequest request = source.request();
  int steps = 0;
  request.progress = [&](std::string_view, double) { ++steps; };
  const auto whole = analyse_or_fail(request);
  REQUIRE(steps > 3);

  for (int last = 1; last <= steps; ++last) {
    CAPTURE(last);
    std::atomic<bool> cancelled = false;
    int step = 0;
    request.cancelled = &cancelled;
    request.progress = [&](std::string_view, double) { cancelled = ++step == last; };
    const auto result = analyse(request);
    // Nothing follows the last step that can be cancelled.
    if (last == steps) {
      CHECK(result);
      continue;
    }
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::cancelled);
  }
}
