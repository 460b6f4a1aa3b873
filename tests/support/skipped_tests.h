// Tests, or parts of them, that something is missing for.
//
// Thread contract: the thread of the test.
#pragma once

#include <string>

namespace gprof::test {

// Says why the running test, or a part of it, is skipped. A run in which nothing failed and every
// test said so ends with `skipped_status`, by which ctest shows the test as skipped.
void skip_test(const std::string& reason);

inline constexpr int skipped_status = 77;

}  // namespace gprof::test
