// Skips tests, or parts of them, that lack something they need.
//
// Thread contract: the test's thread.
#pragma once

#include <string>

namespace gprof::test {

// Reports why the running test, or a part of it, is skipped. A run in which nothing failed and
// every test reported that ends with `skipped_status`, so that ctest shows the test as skipped.
void skip_test(const std::string& reason);

inline constexpr int skipped_status = 77;

}  // namespace gprof::test
