// Functions with hot loops of several kinds; each takes about as long as its argument says, in
// thousands of rounds. None makes system calls, and none has a state.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HOT __attribute__((noinline)) static

// Integer multiplications, one after the other.
HOT uint64_t mixed(uint64_t x, int rounds) {
  for (int i = 0; i < rounds * 1000; i++) x = (x ^ (x >> 13)) * 0x9e3779b97f4a7c15u;
  return x;
}

// Floating-point divisions.
HOT uint64_t divided(uint64_t x, int rounds) {
  double sum = (double)x;
  for (int i = 1; i <= rounds * 400; i++) sum = sum / (1.0 + 1.0 / i) + 1.0;
  return (uint64_t)sum;
}

// Branches that nothing predicts.
HOT uint64_t branched(uint64_t x, int rounds) {
  uint64_t sum = 0;
  for (int i = 0; i < rounds * 300; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    if (x >> 63)
      sum += x >> 60;
    else
      sum ^= x >> 7;
  }
  return sum;
}

// Dependent loads from a table.
static uint16_t next[4096];
__attribute__((constructor)) static void fill(void) {
  for (int i = 0; i < 4096; i++) next[i] = (uint16_t)((i * 1365 + 77) % 4096);
}
HOT uint64_t followed(uint64_t x, int rounds) {
  uint16_t at = (uint16_t)(x % 4096);
  for (int i = 0; i < rounds * 500; i++) at = next[at];
  return at;
}

// Bytes, one at a time.
HOT uint64_t summed(uint64_t x, int rounds) {
  uint32_t crc = (uint32_t)x;
  for (int i = 0; i < rounds * 100; i++) {
    crc ^= (uint32_t)i & 255;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
  }
  return crc;
}

// Calls without end, almost.
HOT uint64_t fibonacci(int n) { return n < 2 ? (uint64_t)n : fibonacci(n - 1) + fibonacci(n - 2); }

HOT int ascending(const void* left, const void* right) {
  const uint32_t a = *(const uint32_t*)left, b = *(const uint32_t*)right;
  return (a > b) - (a < b);
}

// Calls from the C library.
HOT uint64_t sorted(uint64_t x, int rounds) {
  uint32_t values[512];
  uint64_t sum = 0;
  for (int i = 0; i < rounds; i++) {
    for (size_t n = 0; n < 512; n++) values[n] = (uint32_t)(x = x * 6364136223846793005u + 1) >> 3;
    qsort(values, 512, sizeof *values, ascending);
    sum += values[x % 512];
  }
  return sum;
}

// Everything, for a time that `rounds` says.
HOT uint64_t everything(uint64_t x, int rounds) {
  for (int i = 0; i < rounds; i++) {
    x += mixed(x, 8);
    x += divided(x, 4);
    x += branched(x, 10);
    x += followed(x, 6);
    x += summed(x, 6);
    x += fibonacci(15);
    x += sorted(x, 1);
  }
  return x;
}
