// The program of the unit tests: Catch2's, with an exit status for tests that were skipped.
#define CATCH_CONFIG_RUNNER
#include <cstdio>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/skipped_tests.h"
#include "tests/support/test_seed.h"

namespace {

struct Skips {
  std::string running;             // the test
  std::vector<std::string> tests;  // each once
  std::size_t finished = 0;        // tests, skipped or not
};

Skips& skips() {
  static Skips all;
  return all;
}

using Listener = Catch::TestEventListenerBase;

class SkipListener : public Listener {
 public:
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    Listener::testCaseStarting(test);
    skips().running = test.name;
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    Listener::testCaseEnded(stats);
    if (stats.totals.assertions.failed > 0) {
      std::fprintf(stderr, "GPROF_TEST_SEED=%u\n", gprof::test_seed(0));
    }
    ++skips().finished;
  }
};
CATCH_REGISTER_LISTENER(SkipListener)

}  // namespace

void gprof::test::skip_test(const std::string& reason) {
  WARN("skipped: " << reason);
  auto& tests = skips().tests;
  if (tests.empty() || tests.back() != skips().running) tests.push_back(skips().running);
}

int main(int argument_count, char* arguments[]) {
  const int failures = Catch::Session().run(argument_count, arguments);
  if (failures != 0 || skips().tests.empty()) return failures;
  Catch::cout() << "skipped, or parts of it:\n";
  for (const std::string& test : skips().tests) Catch::cout() << "  " << test << "\n";
  return skips().tests.size() == skips().finished ? gprof::test::skipped_status : 0;
}
