// Seeds for random tests: constants, so that every run is the same, plus the number in the
// environment's GPROF_TEST_SEED, to try others.
//
// Thread contract: the environment is not changed meanwhile.
#pragma once

#include <cstdlib>

namespace gprof {

[[nodiscard]] inline unsigned test_seed(unsigned usual) {
  const char* moved = std::getenv("GPROF_TEST_SEED");
  return moved == nullptr ? usual : usual + static_cast<unsigned>(std::strtoul(moved, nullptr, 10));
}

}  // namespace gprof
