#include "runtime/sampling/random_events.h"

#include <cstdint>

#include <time.h>

#include "runtime/sampling/clocks.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

__extension__ using Wide = unsigned __int128;

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
std::uint64_t next_random(RandomState* random) {
  random->value += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = random->value;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

constexpr unsigned fraction_bits = 32;
constexpr std::uint64_t natural_logarithm_of_2 = 2977044472;  // times 2^32, rounded

// -ln(u) for a uniform u between 0 and 1, times 2^32. The number of leading zeros gives the integer
// part of the base-2 logarithm; repeatedly squaring the remainder yields its binary digits.
std::uint64_t standard_exponential(RandomState* random) {
  const std::uint64_t uniform = next_random(random) | 1;
  const auto zeros = static_cast<unsigned>(__builtin_clzll(uniform));
  std::uint64_t mantissa = (uniform << zeros) >> 32;  // from 1 to 2, times 2^31
  std::uint64_t logarithm = 0;
  for (unsigned bit = 0; bit < fraction_bits - 4; ++bit) {
    mantissa = mantissa * mantissa >> 31;
    logarithm <<= 1;
    if (mantissa >> 32 != 0) {
      mantissa >>= 1;
      logarithm |= 1;
    }
  }
  const std::uint64_t negative = (std::uint64_t{zeros + 1} << fraction_bits) - (logarithm << 4);
  return static_cast<std::uint64_t>(Wide{negative} * natural_logarithm_of_2 >> fraction_bits);
}

}  // namespace

void seed(RandomState* random, std::uint64_t salt) {
  random->value = read_clock(CLOCK_MONOTONIC) * 0x9e3779b97f4a7c15 ^
                  static_cast<std::uint64_t>(sys::call(__NR_gettid)) << 32 ^ salt;
  next_random(random);
}

std::uint64_t random_below(RandomState* random, std::uint64_t limit) {
  return static_cast<std::uint64_t>(Wide{next_random(random)} * limit >> 64);
}

std::uint64_t until_next_event(RandomState* random, std::uint64_t mean) {
  return static_cast<std::uint64_t>(Wide{mean} * standard_exponential(random) >> fraction_bits);
}

NextEvents next_events(RandomState* random, std::uint64_t mean, std::uint64_t least) {
  const std::uint64_t first = until_next_event(random, mean);
  if (first >= least) return {first, 1};
  return {least, 1 + events_within(random, mean, least - first)};
}

std::uint64_t events_within(RandomState* random, std::uint64_t mean, std::uint64_t duration) {
  // Drawn one by one up to this number; beyond it, the random deviation no longer matters.
  constexpr std::uint64_t most_drawn = 4096;
  std::uint64_t count = 0;
  std::uint64_t passed = until_next_event(random, mean);
  while (passed <= duration) {
    if (++count == most_drawn) return count + (duration - passed) / mean;
    passed += until_next_event(random, mean);
  }
  return count;
}

}  // namespace gprof_runtime::sampler
