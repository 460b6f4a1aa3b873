#include "engine/support/hash_seed.h"

#include <chrono>

#include <sys/random.h>

namespace gprof {

std::uint64_t hash_seed() {
  static const std::uint64_t seed = [] {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, GRND_NONBLOCK) == sizeof random) return random;
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }();
  return seed;
}

}  // namespace gprof
