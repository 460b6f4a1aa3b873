// What must hold for every input of a fuzz target.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace gprof::test {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace gprof::test
